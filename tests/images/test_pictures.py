"""Images: what is read, what is refused before it is decoded, and the built-in pictures."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from mmc.images import PICTURES, PictureError, load_picture, open_picture
from mmc.images.picture import LEAST_SIDE, MAX_BYTES, MOST_PIXELS

RAMP = np.arange(12 * 10 * 3, dtype=np.uint8).reshape(10, 12, 3)


def encoded(image, kind="PNG", **options):
    """Return an image as the content of a file."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def png(width, height, chunks=(), depth=8, color=2):
    """Return a PNG file of any declared size, whose pixels need not be there."""

    def chunk(name, content):
        check = struct.pack(">I", zlib.crc32(name + content))
        return struct.pack(">I", len(content)) + name + content + check

    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    parts = [chunk(b"IHDR", header), *(chunk(*each) for each in chunks), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_a_file_is_read_as_it_is(tmp_path):
    """Pixels of a PNG file come back exactly, with the name and the SHA-256 of the file."""
    content = encoded(Image.fromarray(RAMP))
    path = tmp_path / "ramp.png"
    path.write_bytes(content)
    for picture in (open_picture(path), open_picture(content, name="ramp.png")):
        np.testing.assert_array_equal(picture.pixels, RAMP)
        assert picture.name == "ramp.png"
        assert len(picture.sha256) == 64
        assert picture.notes == ()


def test_the_content_decides_and_not_the_name():
    """A PNG file that is called .jpg is read; a GIF file that is called .png is refused."""
    np.testing.assert_array_equal(open_picture(encoded(Image.fromarray(RAMP)), name="x.jpg").pixels, RAMP)
    with pytest.raises(PictureError, match=r"'x\.png' is no PNG or JPEG file, by its content"):
        open_picture(encoded(Image.fromarray(RAMP), "GIF"), name="x.png")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"%PDF-1.7",
        b"II*\x00" + bytes(100),
        b"a,b\n1,2\n",
    ],
    ids=["empty", "svg", "pdf", "tiff", "csv"],
)
def test_other_formats_are_refused(content):
    """By their first bytes, in words, without being parsed."""
    with pytest.raises(PictureError, match="is no PNG or JPEG file"):
        open_picture(content, name="x.png")


def test_a_bomb_is_refused_by_its_header(monkeypatch):
    """A file of a few hundred bytes that declares a huge image is refused before any pixel is decoded."""
    bomb = png(60_000, 60_000, [(b"IDAT", zlib.compress(bytes(10**6)))])
    monkeypatch.setattr(Image.Image, "convert", lambda *args: pytest.fail("it was decoded"))
    with pytest.raises(PictureError, match=r"60,000 × 60,000 pixels, more than the 25,000,000"):
        open_picture(bomb, name="bomb.png")


def test_a_bomb_of_text_is_refused():
    """Compressed text that unpacks to much more than an image needs is not unpacked."""
    text = b"Comment\0\0" + zlib.compress(bytes(50 * 10**6))
    with pytest.raises(PictureError, match="is broken"):
        open_picture(png(20, 20, [(b"zTXt", text)]), name="text.png")


def test_too_many_bytes_are_refused(tmp_path):
    """A large file is refused by its size, on disk before it is read."""
    content = encoded(Image.fromarray(RAMP)) + bytes(MAX_BYTES)
    path = tmp_path / "large.png"
    path.write_bytes(content)
    for source in (content, path):
        with pytest.raises(PictureError, match=r"'large\.png' has more than 20 MB"):
            open_picture(source, name="large.png")


@pytest.mark.parametrize("size", [(1, 1), (LEAST_SIDE - 1, 400)])
def test_too_few_pixels_are_refused(size):
    """An image of one pixel has nothing to segment."""
    with pytest.raises(PictureError, match="too few to segment: give at least 8 on each side"):
        open_picture(encoded(Image.new("RGB", size)), name="dot.png")


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.95])
def test_a_cut_file_is_refused(kind, share):
    """Half a file is no image, wherever it ends."""
    noise = np.random.RandomState(0).randint(0, 256, (40, 50, 3), dtype=np.uint8)
    content = encoded(Image.fromarray(noise), kind)
    with pytest.raises(PictureError, match="is broken"):
        open_picture(content[: 12 + int(share * (len(content) - 12))], name="cut")


@pytest.mark.parametrize("seed", range(60))
def test_damaged_files_are_read_or_refused(seed):
    """Whatever bytes are changed, there is an image of the declared kind or a `PictureError`."""
    rng = np.random.RandomState(seed)
    content = bytearray(encoded(Image.fromarray(RAMP.repeat(3, axis=0)), ("PNG", "JPEG")[seed % 2]))
    for at in rng.randint(8, len(content), 6):
        content[at] = rng.randint(256)
    try:
        picture = open_picture(bytes(content), name="damaged")
    except PictureError:
        return
    assert picture.pixels.dtype == np.uint8
    assert picture.pixels.ndim == 3


def test_transparent_pixels_lie_on_white():
    """Alpha is taken into account, and said; so is the transparent colour of a palette."""
    clear = np.dstack([RAMP, np.full(RAMP.shape[:2], 255, np.uint8)])
    clear[0, 0, 3] = 0
    picture = open_picture(encoded(Image.fromarray(clear)), name="x")
    assert picture.pixels[0, 0].tolist() == [255, 255, 255]
    np.testing.assert_array_equal(picture.pixels[1:], RAMP[1:])
    assert picture.notes == ("Transparent pixels lie on white.",)
    flat = Image.new("P", (9, 9))
    flat.putpalette([10, 20, 30, 40, 50, 60])
    flat.putpixel((3, 2), 1)
    picture = open_picture(encoded(flat, transparency=0), name="x")
    assert picture.pixels[2, 3].tolist() == [40, 50, 60]
    assert picture.pixels[0, 0].tolist() == [255, 255, 255]


def test_a_palette_gives_its_colours():
    """Without transparency the colours of a palette are taken."""
    flat = Image.new("P", (9, 9))
    flat.putpalette([10, 20, 30, 40, 50, 60])
    assert open_picture(encoded(flat), name="x").pixels[0, 0].tolist() == [10, 20, 30]


def test_sixteen_bits_become_eight():
    """The upper byte of a grey value is taken, not the value cut at 255."""
    grey = (np.arange(100, dtype=np.uint16).reshape(10, 10) * 600).astype(np.uint16)
    picture = open_picture(encoded(Image.fromarray(grey)), name="x")
    np.testing.assert_array_equal(picture.pixels, (grey >> 8).astype(np.uint8)[:, :, None].repeat(3, 2))
    assert picture.notes == ("Its 16 bits are read as 8.",)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "CMYK"])
def test_other_kinds_of_colour_are_read(mode):
    """Black and white, grey, grey with alpha, and the inks of a printer."""
    kind = "JPEG" if mode == "CMYK" else "PNG"
    picture = open_picture(encoded(Image.new(mode, (20, 10)), kind), name="x")
    assert picture.pixels.shape == (10, 20, 3)


def test_the_orientation_of_a_photograph_is_applied():
    """A photograph that was taken upright is turned as its EXIF data say; broken EXIF data say nothing."""
    wide = Image.new("RGB", (40, 20), "#000000")
    wide.paste("#FFFFFF", (0, 0, 20, 20))
    exif = Image.Exif()
    exif[0x0112] = 6
    picture = open_picture(encoded(wide, "JPEG", exif=exif), name="x")
    assert picture.pixels.shape == (40, 20, 3)
    assert picture.pixels[5].mean() > 240
    assert picture.pixels[35].mean() < 15
    assert picture.notes == ("It is turned as its EXIF data say.",)
    broken = encoded(wide, "JPEG", exif=b"Exif\x00\x00II*\x00\xff\xff\xff\xff")
    assert open_picture(broken, name="x").pixels.shape == (20, 40, 3)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_large_image_is_reduced(kind):
    """It keeps its shape and its colours, has at most the pixels that are clustered, and this is said."""
    large = Image.new("RGB", (1500, 1000), "#204060")
    picture = open_picture(encoded(large, kind), name="x")
    height, width = picture.pixels.shape[:2]
    assert height * width <= MOST_PIXELS
    assert width / height == pytest.approx(1.5, rel=0.01)
    np.testing.assert_allclose(picture.pixels[0, 0], [32, 64, 96], atol=2)
    assert "1,500 × 1,000 pixels are reduced" in picture.notes[0]


def test_a_ribbon_is_refused():
    """An image that is hardly a pixel wide once it is reduced has no segments to see."""
    with pytest.raises(PictureError, match="too narrow to be reduced"):
        open_picture(encoded(Image.new("RGB", (100_000, 10))), name="x")


@pytest.mark.parametrize("key", PICTURES)
def test_built_in_pictures_are_the_same_every_time(key):
    """Each has pixels, a drawn one a mask of as many segments as its entry says."""
    picture, again = load_picture(key), load_picture(key)
    np.testing.assert_array_equal(picture.pixels, again.pixels)
    assert picture.pixels.dtype == np.uint8
    if picture.mask is not None:
        assert picture.mask.shape == picture.pixels.shape[:2]
        assert np.unique(picture.mask).tolist() == list(range(PICTURES[key].n_segments))


def test_an_unknown_picture_is_named():
    """A misspelt key gets the one that resembles it."""
    with pytest.raises(ValueError, match="did you mean 'china'"):
        load_picture("chnia")
