FROM node:24.20.0-trixie-slim

WORKDIR /app

COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force

COPY . .
# keeps the stripped types, so that no start has to strip them again
RUN node bin/storehouse.js --help > /dev/null
# without a DATABASE_URL the data of the embedded Postgres go there
RUN mkdir .storehouse && chown node:node .storehouse

ENV NODE_ENV=production
USER node

ENTRYPOINT ["/app/bin/storehouse.js"]
CMD ["--help"]
