FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY clients ./clients
COPY migrations ./migrations
COPY scripts/build.mjs ./scripts/
# The image has its own Node; the one that the package brings for other machines would only make it larger.
RUN npm run -s build && cp -rL dist built && npm prune --omit=dev --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/node-win-* node_modules/.bin/node
# Only the small models of the text recognition are used.
RUN rm -rf node_modules/@tesseract.js-data/*/4.0.0

FROM node:24-bookworm-slim
ENV NODE_ENV=production LANYARD_HOST=0.0.0.0 LANYARD_DATA_DIR=/data LANYARD_LOG_FORMAT=json
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/built ./dist
COPY --from=build /app/clients ./clients
COPY --from=build /app/package.json ./
COPY migrations ./migrations
COPY assets ./assets
COPY docs ./docs
COPY LICENSE CHANGELOG.md ./
RUN mkdir /data && chown node /data && ln -s /app/dist/cli.js /usr/local/bin/lanyard && chmod +x dist/cli.js
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD node -e "fetch('http://127.0.0.1:3000/readyz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
CMD ["node", "--no-memory-protection-keys", "--min-semi-space-size=16", "--max-semi-space-size=16", "--max-old-space-size=1024", "--enable-source-maps", "dist/main.js"]
