"""The animation of a recorded fit as a file that any program plays: GIF and MP4."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageColor

from mmc.errors import LimitError
from mmc.figures.palette import NEUTRAL, cluster_color
from mmc.figures.raster import to_image
from mmc.figures.scene import Scene
from mmc.figures.still import Words, lay_out, n_frames

#: Maximum number of frames of a film; of a longer recording as many are chosen at equal distances.
MAX_FRAMES = 150

#: How to install what MP4 needs.
HOW_TO_INSTALL = 'pip install "mmc[video]"'

#: Milliseconds of a frame, of a frame where there are many, of the first and last one, and of a film of many.
_EACH, _LEAST, _ENDS, _ALL = 350, 100, 1400, 21_000

#: Frames of an MP4 in a second; a frame of the recording is repeated as often as it needs.
_RATE = 20

#: Called with the share that is done; returns whether to continue.
Report = Callable[[float], bool]


def film_gif(scenes: Mapping[str, Scene], words: Words | None = None, report: Report | None = None) -> bytes:
    """Return the animation as a GIF file, which repeats.

    Parameters
    ----------
    scenes : mapping from str to Scene
        Recorded fits by name, which run side by side.
    words : Words or None
        Title and other texts.
    report : callable or None
        Called with the share that is done; the film is given up if it returns False.

    Returns
    -------
    bytes

    Raises
    ------
    LimitError
        If `report` ends it.
    """
    frames = chosen_frames(n_frames(scenes))
    table = _palette(scenes)
    pages = [
        image.quantize(palette=table, dither=Image.Dither.NONE)
        for image in _images(scenes, words, frames, report)
    ]
    file = io.BytesIO()
    pages[0].save(
        file, "GIF", save_all=True, append_images=pages[1:], duration=durations(len(frames)), loop=0
    )
    return file.getvalue()


def film_mp4(scenes: Mapping[str, Scene], words: Words | None = None, report: Report | None = None) -> bytes:
    """Return the animation as an MP4 file (H.264); parameters are those of `film_gif`.

    Parameters
    ----------
    scenes : mapping from str to Scene
        Recorded fits by name.
    words : Words or None
        Title and other texts.
    report : callable or None
        Called with the share that is done; the film is given up if it returns False.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If imageio-ffmpeg is not installed.
    LimitError
        If `report` ends it.
    """
    if not can_write_mp4():
        raise ValueError(f"MP4 needs imageio-ffmpeg, which is not installed here: {HOW_TO_INSTALL}")
    import imageio_ffmpeg

    frames = chosen_frames(n_frames(scenes))
    first = lay_out(scenes, words)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        writer: Any = imageio_ffmpeg.write_frames(
            str(path),
            (first.width, first.height),
            fps=_RATE,
            codec="libx264",
            macro_block_size=2,
            output_params=["-crf", "20", "-tune", "animation", "-movflags", "+faststart"],
            ffmpeg_timeout=30,
        )
        writer.send(None)
        try:
            images = _images(scenes, words, frames, report)
            for image, milliseconds in zip(images, durations(len(frames)), strict=True):
                content = image.tobytes()
                for _ in range(max(1, round(milliseconds * _RATE / 1000))):
                    writer.send(content)
        finally:
            writer.close()
        return path.read_bytes()


def can_write_mp4() -> bool:
    """Return whether imageio-ffmpeg is installed."""
    return find_spec("imageio_ffmpeg") is not None


def chosen_frames(n: int) -> list[int]:
    """Return the numbers of the frames of a film: all, or `MAX_FRAMES` with the first and the last."""
    return np.linspace(0, n - 1, min(n, MAX_FRAMES)).round().astype(int).tolist()


def durations(n: int) -> list[int]:
    """Return how many milliseconds each of `n` frames is shown, in tens as GIF counts them."""
    each = int(np.clip(_ALL / n, _LEAST, _EACH)) // 10 * 10
    times = [each] * n
    times[0] = times[-1] = _ENDS
    return times


def _images(
    scenes: Mapping[str, Scene], words: Words | None, frames: Sequence[int], report: Report | None
) -> Iterator[Image.Image]:
    for done, frame in enumerate(frames):
        yield to_image(lay_out(scenes, words, frame), smooth=2)
        if report is not None and not report((done + 1) / len(frames)):
            raise LimitError("This film was cancelled.")


def _palette(scenes: Mapping[str, Scene]) -> Image.Image:
    """Return the colours of all frames: those of clusters and marker mixed with white, and greys."""
    k = max(scene.n_clusters for scene in scenes.values())
    colors = list(dict.fromkeys([cluster_color(h) for h in range(k)] + ["#D55E00", NEUTRAL]))
    mixed = []
    for color in colors:
        rgb = np.array(ImageColor.getrgb(color))
        mixed += [np.round(255 - share * (255 - rgb)) for share in (1.0, 0.8, 0.6, 0.4, 0.2)]
    mixed += [np.full(3, grey) for grey in np.linspace(0, 255, 40).round()]
    table = np.array(mixed, dtype=int)[:256]
    image = Image.new("P", (1, 1))
    image.putpalette(table.ravel().tolist())
    return image
