import { expect, it } from 'vitest'
import { contentPolicy } from '../content-policy.ts'

const ancestorsOf = (policy: string) => /frame-ancestors ([^;]*)/.exec(policy)![1]

it('nobody frames a page, unless the page says who', () => {
  expect(ancestorsOf(contentPolicy())).toBe("'none'")
  expect(ancestorsOf(contentPolicy({ framedBy: [] }))).toBe("'none'")
  expect(ancestorsOf(contentPolicy({ framedBy: ['www.acme.example', '*.acme.example:8443'] }))).toBe('www.acme.example *.acme.example:8443')
})

it.each([
  '*',
  'https://evil.example',
  "'self'",
  "evil.example; script-src 'unsafe-inline'",
  'a.example\r\nset-cookie: x',
  'a.example b.example',
  '',
  'http:',
  'localhost',
])('what is no host (%j) frames nothing, and writes nothing into the header', (host) => {
  expect(contentPolicy({ framedBy: [host] })).toBe(contentPolicy())
  expect(contentPolicy({ framedBy: ['www.acme.example', host] })).toBe(contentPolicy({ framedBy: ['www.acme.example'] }))
})

it('no page loads from elsewhere or runs what stands in it', () => {
  const policy = contentPolicy({ formAction: false, framedBy: ['www.acme.example'] })
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(contentPolicy({ webAssembly: true })).toBe(contentPolicy().replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"))
  expect([policy.includes('form-action'), contentPolicy().endsWith("form-action 'self'")]).toEqual([false, true])
})
