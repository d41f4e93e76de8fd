"""Images: segments of a picture, split by split, beside other methods."""

import streamlit as st

from mmc import ui


def segmented() -> ui.Segments:
    """Read the controls and segment as they say; raise a ValueError if that fails."""
    with st.sidebar:
        experiment, photo = ui.image_controls()
    return ui.segments(experiment, photo)


with ui.frame("Images"):
    ui.heading(
        "Images",
        "Every pixel is a point, and a cluster of pixels is a segment. As in the paper on iterated "
        "regression, an image is parted in two, then one of its parts again, and so on. Rest on a segment to "
        "light it, and press a stage to see the splits one after the other.",
    )
    found = ui.last_good(ui.Images, segmented)
    ui.show_segments(found)
    beside = st.container()
    ui.export_segments(found)
    with beside:  # the last, because a page ends here while the work is done
        ui.show_beside(found)
