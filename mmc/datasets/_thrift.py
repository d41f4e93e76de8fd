"""A reader of Thrift's compact protocol, as far as the page headers of Parquet need it.

It returns the numbers and structs of a struct by the identifiers of their fields, and skips everything else.
"""

from __future__ import annotations

from typing import Any, Protocol

_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 0, 1, 2, 3, 7, 8, 12
_WHOLE = (4, 5, 6)  # of 16, 32 and 64 bits
_DEEPEST = 8
_LONGEST_NUMBER = 10

Struct = dict[int, Any]


class ThriftError(ValueError):
    """The bytes are not a struct."""


class Bytes(Protocol):
    """Bytes that are read one by one."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> int: ...


class StructReader:
    """A reader of structs from bytes, from a position on.

    Attributes
    ----------
    position : int
        Where the next value begins.
    """

    def __init__(self, data: Bytes, position: int) -> None:
        self.data = data
        self.position = position

    def struct(self, depth: int = 0) -> Struct:
        """Read a struct."""
        if depth > _DEEPEST:
            raise ThriftError("structs are nested too deeply")
        fields: Struct = {}
        identifier = 0
        while (head := self._byte()) & 0x0F != _STOP:
            step, kind = head >> 4, head & 0x0F
            identifier = identifier + step if step else self._number()
            fields[identifier] = self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self._byte()
        if kind in _WHOLE:
            return self._number()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_DOUBLE, _BINARY):
            self._skip(8 if kind == _DOUBLE else self._unsigned())
            return None
        raise ThriftError(f"fields of type {kind} do not occur in a page header")

    def _byte(self) -> int:
        self._skip(1)
        return self.data[self.position - 1]

    def _skip(self, n_bytes: int) -> None:
        if n_bytes > len(self.data) - self.position:
            raise ThriftError("the bytes end too early")
        self.position += n_bytes

    def _unsigned(self) -> int:
        value = 0
        for i in range(_LONGEST_NUMBER):
            byte = self._byte()
            value |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                return value
        raise ThriftError("a number is too long")

    def _number(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
