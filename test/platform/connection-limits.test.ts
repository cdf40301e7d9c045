import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../src/platform/environment.ts'
import { createLog } from '../../src/platform/log.ts'
import { startService } from '../../src/start.ts'
import { newWorld } from '../support/world.ts'

describe('connection with an incomplete request', () => {
  it('checks for connections with an incomplete request at least five times within the header timeout', async () => {
    const world = await newWorld()
    const environment = readEnvironment(
      { PORT: '0', LANYARD_ROLE: 'web', LANYARD_SECRET_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64') },
      false,
    )
    const running = await startService(environment, createLog({ level: 'error', format: 'json' }), { database: world.database })
    // Node accepts this option and exposes it nowhere else. Node tests the check itself; we test the interval.
    const { connectionsCheckingInterval } = running.server as unknown as { connectionsCheckingInterval: number }
    expect(connectionsCheckingInterval).toBeLessThanOrEqual(running.server.headersTimeout / 5)
    expect(running.server.requestTimeout).toBeGreaterThanOrEqual(running.server.headersTimeout)
    await running.stop()
    await world.end()
  })
})
