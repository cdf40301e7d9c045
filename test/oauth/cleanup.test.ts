import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { takeRateLimitToken } from '../../src/domains/access/rate-windows.ts'
import { cleanUpOauth } from '../../src/domains/oauth/cleanup.ts'
import { runCleanupTasks } from '../../src/surfaces/worker/cleanup.ts'
import { resetRateLimits } from '../support/rpc.ts'
import {
  authorizePath,
  obtainCode,
  connectOAuthApp,
  newPkce,
  openStage,
  refresh,
  registerOAuthClient,
  openSignedInVisitor,
  type Stage,
  requestStatus,
  Visitor,
} from './flow.ts'

let stage: Stage
beforeAll(async () => void (stage = await openStage()))
afterAll(() => stage.end())

const count = async (table: string) =>
  Number((await stage.world.database.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]!.n)
const cleanUp = (options = {}) => cleanUpOauth(stage.world.database.write, options)

describe('OAuth cleanup', () => {
  it('removes expired tokens, and keeps those needed to detect a reused refresh token', async () => {
    const { served, world } = stage
    const olga = await openSignedInVisitor(stage, stage.olga.userId)
    const client = await registerOAuthClient(served)
    await olga.go(authorizePath(client.client_id, newPkce().challenge))
    const used = await obtainCode(stage, olga, client)
    const first = (await used.redeem()).json
    const second = (await refresh(served, client, first.refresh_token)).json
    await world.clock.advance('2 hours')
    await cleanUp()
    expect([await count('oauth_requests'), await count('oauth_codes')]).toEqual([0, 1])
    // Expired access tokens are deleted; both refresh tokens remain, so a reuse of the old one is still detected.
    expect(
      (
        await world.database.pool.query(`select 1 from oauth_tokens t join oauth_grants g on g.id = t.grant_id where g.client_id = $1`, [
          client.client_id,
        ])
      ).rows,
    ).toHaveLength(2)
    const third = (await refresh(served, client, second.refresh_token)).json
    expect(await requestStatus(served, third.access_token)).toBe(200)
    expect((await refresh(served, client, first.refresh_token)).json.error).toBe('invalid_grant')
    expect(await requestStatus(served, third.access_token)).toBe(401)
    await world.clock.advance('2 days')
    await cleanUp()
    expect(await count('oauth_codes')).toBe(0)
    await world.clock.reset()
  })

  it('removes registered apps that were not connected within 30 days, and never a connected one', async () => {
    const { served, world } = stage
    const [used, unused] = [await registerOAuthClient(served), await registerOAuthClient(served)]
    await connectOAuthApp(stage, await openSignedInVisitor(stage, stage.olga.userId), used)
    const known = async (id: string) =>
      (await world.database.pool.query('select 1 from oauth_clients where id = $1', [id])).rows.length === 1
    await world.clock.advance('29 days')
    await cleanUp()
    expect([await known(used.client_id), await known(unused.client_id)]).toEqual([true, true])
    await world.clock.advance('2 days')
    await cleanUp()
    expect([await known(used.client_id), await known(unused.client_id)]).toEqual([true, false])
    await world.clock.advance('400 days')
    await cleanUp()
    expect(await known(used.client_id)).toBe(true)
    expect((await refresh(served, unused, 'lrt_x')).json.error).toBe('invalid_client')
    await world.clock.reset()
  })

  it('removes the oldest unused apps when their number exceeds the limit', async () => {
    const { pool } = stage.world.database
    await pool.query(
      `insert into oauth_clients (id, name, created_at) select 'flood-' || lpad(i::text, 6, '0'), 'Flood', lanyard_now() - interval '1 day' + i * interval '1 millisecond'
       from generate_series(1, 3000) i`,
    )
    const honest = await registerOAuthClient(stage.served)
    await cleanUp({ maxUnused: 500 })
    const { rows } = await pool.query<{ n: number; oldest: string }>(
      `select count(*)::int as n, min(id) as oldest from oauth_clients where id like 'flood-%'`,
    )
    expect(rows[0]!.n).toBeLessThanOrEqual(499)
    expect(rows[0]!.n).toBeGreaterThan(480)
    expect(rows[0]!.oldest > 'flood-002400').toBe(true)
    expect((await pool.query('select 1 from oauth_clients where id = $1', [honest.client_id])).rows).toHaveLength(1)
  })

  it('runs the OAuth cleanup in the worker, which also removes old rate limit counters and keeps current ones', async () => {
    const { world } = stage
    await resetRateLimits(world)
    const client = await registerOAuthClient(stage.served)
    await new Visitor(stage.served).go(authorizePath(client.client_id, newPkce().challenge))
    await world.clock.advance('61 minutes')
    const empty = async () => !(await takeRateLimitToken(world.database.pool, 'busy', { perMinute: 1, burst: 2 }))
    expect([await empty(), await empty(), await empty()]).toEqual([false, false, true])
    await runCleanupTasks({ ...world.services, transact: world.database.transact })
    expect(await count('oauth_requests')).toBe(0)
    expect((await world.database.pool.query('select key from rate_windows')).rows).toEqual([{ key: 'busy' }])
    expect(await empty()).toBe(true)
    await world.clock.reset()
  })
})
