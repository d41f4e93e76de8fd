# The app alone, behind a proxy: see deploy/compose.yaml and docs/deployment.md. No command here needs more than Debian
# and a package index.
FROM debian:bookworm-slim

RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin mmc

WORKDIR /src
COPY requirements.txt ./
RUN python3 -m venv /opt/mmc && /opt/mmc/bin/pip install --no-cache-dir -r requirements.txt
COPY . ./
RUN /opt/mmc/bin/pip install --no-cache-dir --no-deps . && rm -rf /src/*

# Nothing is written but compiled loops, which need no other folder than /tmp.
ENV HOME=/tmp NUMBA_CACHE_DIR=/tmp/numba PYTHONDONTWRITEBYTECODE=1
WORKDIR /tmp
USER mmc
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["/opt/mmc/bin/python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["/opt/mmc/bin/mmc", "app", "--server.address", "0.0.0.0"]
