"""The clusters of a table of this server: sizes, a picture of a sample, what they are, and files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from mmc.datasets import to_csv_text
from mmc.figures import cluster_map
from mmc.figures.packed import pack
from mmc.ui.download_view import File, download_buttons
from mmc.ui.messages import notice, plain
from mmc.ui.parted_job import PartedAnswer
from mmc.ui.predict_view import label_another_file
from mmc.ui.profile_view import describe_parted
from mmc.work.parts import METHOD

#: Number of names of columns that are listed.
_MOST_NAMES = 20


def show_parted(found: PartedAnswer) -> None:
    """Draw the clusters of a table of this server.

    Parameters
    ----------
    found : PartedAnswer
        Clusters to show.
    """
    clusters, sample, wish = found.clusters, found.sample, found.wish
    st.subheader(plain(f"{len(clusters.sizes)} clusters in {sample.n_rows:,} rows of {wish.name}"))
    if found.stopped:
        notice(
            f"This fit was {found.stopped}; you see the clusters that it had by then. The command below has "
            "no limit of time.",
            "warning",
        )
    if clusters.warning:
        notice(clusters.warning, "warning")
    left, right = st.columns(2, gap="large")
    with left:
        _picture(found)
    with right:
        _sizes(found)
    description = st.container(key="description")
    st.subheader("Take it home")
    _files(found)
    label_another_file()
    with description:  # the last, because a page ends here while the work is done
        describe_parted(found)


def _picture(found: PartedAnswer) -> None:
    view, labels = found.sample.view, found.clusters.labels
    st.plotly_chart(
        pack(cluster_map(view, labels)),
        key="clusters",
        config={"displayModeBar": False},
        alt=f"Scatter plot of a sample of {len(labels)} rows in {len(np.unique(labels))} clusters.",
    )
    drawn = f"All rows were clustered, by {METHOD}; {len(labels):,} of them are drawn."
    st.caption(plain(f"{drawn} {view.note}"))


def _sizes(found: PartedAnswer) -> None:
    clusters, sample = found.clusters, found.sample
    sizes = pd.DataFrame(
        {
            "cluster": np.arange(len(clusters.sizes)),
            "size": clusters.sizes,
            "share": clusters.sizes / sample.n_rows,
            "drawn": np.bincount(clusters.labels, minlength=len(clusters.sizes)),
        }
    )
    number = st.column_config.NumberColumn
    st.dataframe(
        sizes,
        hide_index=True,
        height=min(35 * (len(sizes) + 1) + 3, 388),
        column_config={
            "cluster": number("Cluster"),
            "size": number("Rows", format="localized"),
            "share": number("Share", format="percent"),
            "drawn": number("In the sample", format="localized"),
        },
    )
    names = list(sample.frame.columns)
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    st.caption(
        plain(
            f"{sample.n_rows:,} rows in {sample.n_parts:,} part{'' if sample.n_parts == 1 else 's'}; "
            f"{len(names):,} column{'' if len(names) == 1 else 's'} of numbers: "
            f"{', '.join(names[:_MOST_NAMES])}{more}. {clusters.seconds:.1f} seconds."
        )
    )


def _files(found: PartedAnswer) -> None:
    clusters, sample, wish = found.clusters, found.sample, found.wish

    def labels() -> str:
        added = pd.DataFrame({"row": sample.rows, "cluster": clusters.labels})
        return to_csv_text(pd.concat([added, sample.frame], axis=1))

    files = [
        File(
            "Labels of the sample (CSV)",
            "labels.csv",
            "text/csv",
            labels,
            "The rows that are drawn, their numbers in the table, and their clusters.",
        ),
        File("Command", "command.txt", "text/plain", lambda: f"{wish.command}\n", "Labels all rows."),
    ]
    if clusters.model:
        files.append(
            File(
                "Model (MMC)", "model.mmc", "application/zip", lambda: clusters.model, "Labels other tables."
            )
        )
    download_buttons(wish.name, files)
    if not clusters.model:
        why = "the fit was stopped before its end" if found.stopped else "it is too large to be sent"
        st.caption(f"There is no model to take home: {why}.")
    st.write("The labels of all rows are written by the command line:")
    st.code(wish.command, language="sh", wrap_lines=True)
    st.caption(plain(f"Put the address of the table in the place of {wish.name}; the clusters are the same."))
