import { expect, it } from 'vitest'
import { buildContentSecurityPolicy } from '../content-policy.ts'

const ancestorsOf = (policy: string) => /frame-ancestors ([^;]*)/.exec(policy)![1]

it('allows only the hosts in framedBy to show the page in a frame', () => {
  expect(ancestorsOf(buildContentSecurityPolicy())).toBe("'none'")
  expect(ancestorsOf(buildContentSecurityPolicy({ framedBy: [] }))).toBe("'none'")
  expect(ancestorsOf(buildContentSecurityPolicy({ framedBy: ['www.acme.example', '*.acme.example:8443'] }))).toBe(
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
  expect(buildContentSecurityPolicy({ framedBy: [host] })).toBe(buildContentSecurityPolicy())
  expect(buildContentSecurityPolicy({ framedBy: ['www.acme.example', host] })).toBe(
    buildContentSecurityPolicy({ framedBy: ['www.acme.example'] }),
  )
})

it('forbids inline scripts and resources from other origins', () => {
  const policy = buildContentSecurityPolicy({ formAction: false, framedBy: ['www.acme.example'] })
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(buildContentSecurityPolicy({ webAssembly: true })).toBe(
    buildContentSecurityPolicy().replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"),
  )
  expect([policy.includes('form-action'), buildContentSecurityPolicy().endsWith("form-action 'self'")]).toEqual([false, true])
})
