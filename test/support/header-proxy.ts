import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

/**
 * A proxy for clients that cannot be configured with a token. It adds headers and changes nothing else. Host and Origin are forwarded, so
 * that the server's own checks of them apply.
 */
export async function startHeaderProxy({
  port,
  target,
  headers,
}: {
  port: number
  /** The server that requests are forwarded to, or several servers that take turns. */
  target: { port: number } | readonly { port: number }[]
  /** Returns the headers to add; called for each request. */
  headers: () => Record<string, string>
}): Promise<{ port: number; stop: () => Promise<void> }> {
  const targets = [target].flat()
  let requests = 0
  // The timeout is that of the servers, whose Keep-Alive header is forwarded. With a shorter one, the proxy would close connections that
  // clients still use.
  const server = createServer({ keepAliveTimeout: 65_000 }, (inbound, outbound) => {
    const forwarded = request(
      {
        host: '127.0.0.1',
        port: targets[requests++ % targets.length]!.port,
        method: inbound.method,
        path: inbound.url,
        headers: { ...inbound.headers, ...headers() },
      },
      (answer) => {
        outbound.writeHead(answer.statusCode!, answer.headers)
        pipeline(answer, outbound, () => {})
      },
    )
    forwarded.on('error', () => outbound.destroy())
    outbound.on('close', () => forwarded.destroy())
    inbound.pipe(forwarded)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
