FROM node:24.20.0-trixie-slim

WORKDIR /app

COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force

COPY . .
# without a DATABASE_URL the data of the embedded Postgres go there
RUN mkdir .storehouse && chown node:node .storehouse

ENV NODE_ENV=production
USER node

ENTRYPOINT ["/app/bin/storehouse.js"]
CMD ["--help"]
