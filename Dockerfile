# The service and its page: docker build -t treequation . && docker run --rm --read-only -p 8000:8000 treequation
# It runs as an unprivileged user, writes no file, and has neither PyTorch nor a compiler in it.

FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY treequation treequation
RUN python -m venv /opt/treequation \
 && /opt/treequation/bin/pip install --no-cache-dir '.[serve]'

FROM python:3.12-slim
COPY --from=build /opt/treequation /opt/treequation
ENV PATH=/opt/treequation/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    TREEQUATION_HOST=0.0.0.0 \
    TREEQUATION_PORT=8000
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["python", "-c", \
  "import os, urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{os.environ[\"TREEQUATION_PORT\"]}/readyz', timeout=2)"]
# Ended by SIGTERM, which docker sends; give it a little more time than the deadline of a request.
ENTRYPOINT ["treequation"]
CMD ["serve"]
