import { describe, expect, it } from 'vitest'
import { respondByFastPath } from '../../src/surfaces/mcp/fast-path.ts'
import { buildVisibleTools } from '../../src/surfaces/mcp/views.ts'

const view = buildVisibleTools([], [])
const neverCalled = () => Promise.reject(new Error('there is nothing to call'))
const list = (params: object, headers: Record<string, string>) =>
  respondByFastPath(
    {
      headers: { accept: 'application/json, text/event-stream', ...headers },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params },
    },
    view,
    neverCalled,
  )

describe('fast path for MCP messages', () => {
  it('caches verified token claims without confusing missing, null and empty claims', async () => {
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    // Each of these claims must be verified separately, in any order.
    for (let round = 0; round < 2; round++) {
      expect(await list({}, modern)).toBeNull()
      expect(await list({ _meta: null }, {})).toBeNull()
      expect(await list({ _meta: 'text' }, {})).toBeNull()
      expect(await list({}, {})).not.toBeNull()
      expect(await list({ _meta: {} }, {})).not.toBeNull()
      expect(await list({ _meta: {} }, modern)).toBeNull()
      expect(await list({ _meta: null }, modern)).toBeNull()
    }
  })
})
