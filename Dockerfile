FROM node:24.20.0-trixie-slim

WORKDIR /app

COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force

COPY . .
# keeps the stripped types: at run time the folder may be read-only, and stripping takes a second at each start
RUN node bin/storehouse.js --compile-all && node bin/storehouse.js --help > /dev/null
# without a DATABASE_URL the data of the embedded Postgres go there
RUN mkdir .storehouse && chown node:node .storehouse

ENV NODE_ENV=production
USER node

ENTRYPOINT ["/app/bin/storehouse.js"]
CMD ["--help"]
