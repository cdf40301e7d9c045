import { Hono } from 'hono'
import type { HttpBindings } from '@hono/node-server'
import { readBearerToken } from '../http/bearer.ts'
import { hashToken, type Secret, equalInConstantTime } from '../../kernel/secrets.ts'
import type { Metrics } from './metrics.ts'
import type { ReadinessProbe } from './readiness.ts'

/** Health probes and metrics for the operator. */
export function createOperatorPages({
  readiness,
  metrics,
  operatorToken,
}: {
  readiness: ReadinessProbe
  metrics: Metrics
  operatorToken: Secret | null
}) {
  const expected = operatorToken && hashToken(operatorToken.reveal())
  return new Hono<{ Bindings: HttpBindings }>()
    .get('/healthz', (c) => c.json({ status: 'ok' }))
    .get('/readyz', async (c) => {
      const failing = await readiness.failing()
      return failing.length === 0 ? c.json({ status: 'ready' }) : c.json({ status: 'not ready', failing }, 503)
    })
    .get('/metrics', async (c) => {
      const token = readBearerToken(c.env.incoming)
      // The token is also required from localhost, because a local proxy and all local accounts connect from there.
      const open = expected !== null && token !== null && equalInConstantTime(hashToken(token), expected)
      if (!open) return c.json({ error: 'Unauthorized: set LANYARD_OPERATOR_TOKEN and send it as a bearer token' }, 401)
      return c.text(await metrics.render(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    })
}
