import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { trackSilentConnections } from '../silent-connections.ts'

describe('trackSilentConnections', () => {
  let server: Server
  let silent: ReturnType<typeof trackSilentConnections>
  let asked: (() => void)[]
  const clients: Socket[] = []

  beforeEach(async () => {
    asked = []
    server = createServer((_, response) => asked.push(() => response.end('answered')))
    silent = trackSilentConnections(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy()
    server.closeAllConnections()
    server.close()
  })

  async function connected(says = ''): Promise<Socket> {
    const taken = once(server, 'connection')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    clients.push(client)
    await taken
    if (says !== '') {
      client.write(says)
      await expect.poll(() => asked.length).toBe(1)
    }
    return client
  }
  const open = () =>
    new Promise<number>((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))

  it('tracks connections without a request, which keep a stopping server waiting until they are closed', async () => {
    await connected()
    server.close()
    server.closeIdleConnections()
    await setImmediate()
    expect(await open()).toBe(1)
  })

  it('closes connections without a request when the server stops, while running requests are still answered', async () => {
    const idle = await connected()
    const asking = await connected('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    const closed = new Promise((resolve) => server.close(resolve))
    const ended = once(idle, 'close')
    silent.close()
    await ended
    expect(await open()).toBe(1)
    const said = once(asking, 'data')
    asked[0]!()
    expect(String(await said)).toContain('answered')
    await closed
  })
})
