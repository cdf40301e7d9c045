import { expect, it } from 'vitest'
import { contentSecurityPolicy } from '../content-policy.ts'

const ancestorsOf = (policy: string) => /frame-ancestors ([^;]*)/.exec(policy)![1]

it('allows only the hosts in framedBy to show the page in a frame', () => {
  expect(ancestorsOf(contentSecurityPolicy())).toBe("'none'")
  expect(ancestorsOf(contentSecurityPolicy({ framedBy: [] }))).toBe("'none'")
  expect(ancestorsOf(contentSecurityPolicy({ framedBy: ['www.acme.example', '*.acme.example:8443'] }))).toBe(
    'www.acme.example *.acme.example:8443',
  )
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
])('ignores the invalid host %j in framedBy', (host) => {
  expect(contentSecurityPolicy({ framedBy: [host] })).toBe(contentSecurityPolicy())
  expect(contentSecurityPolicy({ framedBy: ['www.acme.example', host] })).toBe(contentSecurityPolicy({ framedBy: ['www.acme.example'] }))
})

it('forbids inline scripts and resources from other origins', () => {
  const policy = contentSecurityPolicy({ formAction: false, framedBy: ['www.acme.example'] })
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(contentSecurityPolicy({ webAssembly: true })).toBe(
    contentSecurityPolicy().replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"),
  )
  expect([policy.includes('form-action'), contentSecurityPolicy().endsWith("form-action 'self'")]).toEqual([false, true])
})
