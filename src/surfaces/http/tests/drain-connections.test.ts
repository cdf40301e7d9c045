import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { trackConnections } from '../drain-connections.ts'

const AN_HOUR = 3_600_000
const GET = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'

describe('connections of a stopping server', () => {
  let server: Server
  let connections: ReturnType<typeof trackConnections>
  let asked: (() => void)[]
  const clients: Socket[] = []

  beforeEach(async () => {
    asked = []
    server = createServer({ keepAliveTimeout: AN_HOUR }, (_, response) => asked.push(() => response.end('answered')))
    connections = trackConnections(server)
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
  const countOpen = () =>
    new Promise<number>((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))

  it('control: closing a server without draining waits for a connection that sent no request', async () => {
    await connected()
    server.close()
    server.closeIdleConnections()
    await setImmediate()
    expect(await countOpen()).toBe(1)
  })

  it('control: closing a server without draining waits for a connection that stays open after its response', async () => {
    const asking = await connected(GET)
    server.close()
    const said = once(asking, 'data')
    asked[0]!()
    await said
    await setImmediate()
    expect(await countOpen()).toBe(1)
  })

  it('closes connections without a request immediately, and other connections after their request was answered', async () => {
    const idle = await connected()
    const asking = await connected(GET)
    const ended = once(idle, 'close')
    const drained = connections.drain(AN_HOUR)
    await ended
    expect(await countOpen()).toBe(1)
    const said = once(asking, 'data')
    asked[0]!()
    expect(String(await said)).toContain('answered')
    await drained
    expect(await countOpen()).toBe(0)
  })

  it('closes a connection whose request is not answered within the time limit of the drain', async () => {
    await connected(GET)
    await connections.drain(10)
    expect(await countOpen()).toBe(0)
  })
})
