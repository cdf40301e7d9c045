import { describe, expect, it } from 'vitest'
import { checkAuthSettings } from '../auth.ts'
import type { DirectoryAuth, DirectoryRequest } from '../spec.ts'
import { buildRequest, checkDirectoryRequest, listRequiredInputs, parseTemplate } from '../template.ts'
import { lookup, secretsOf } from './recording-server.ts'

const known = { settings: ['org', 'apiVersion'], credentials: ['apiKey'], inputs: ['email', 'memberNumber', 'lastName', 'postalCode'] }
const issuesOf = (request: Partial<DirectoryRequest>) =>
  checkDirectoryRequest(lookup(request), known).map(({ path, message }) => `${path}: ${message}`)

describe('parseTemplate', () => {
  it('splits a request template into literal texts and placeholders', () => {
    expect(parseTemplate('a {{ input.email | odata }}{{setting.org}} }} {x}')).toEqual([
      'a ',
      { of: 'input', name: 'email', filters: ['odata'] },
      { of: 'setting', name: 'org', filters: [] },
      ' }} {x}',
    ])
    expect(parseTemplate('')).toEqual([])
  })

  it.each(['{{', '{{input.email', '{{}}', '{{input}}', '{{a.b.c}}', '{{input.email || x}}', '{{ {{input.email}} }}'])(
    'rejects the directory request template %s',
    (text) => {
      expect(() => parseTemplate(text)).toThrow(/is not (closed|a placeholder)/)
    },
  )
})

describe('checkDirectoryRequest', () => {
  it.each<[string, Partial<DirectoryRequest>]>([
    ['a plain lookup', {}],
    ['settings in the path', { path: '/{{setting.org}}/members' }],
    [
      'a secret in a header, the query or the body',
      { method: 'POST', headers: { 'X-Key': '{{secret.apiKey}}' }, query: { k: '{{secret.apiKey}}' }, body: '{"k":"{{secret.apiKey}}"}' },
    ],
    ['a guarded literal', { query: { f: "Email eq '{{input.email | odata}}'" } }],
    ['a value after a literal prefix', { query: { q: 'email:{{input.email}}', e: 'eq:{{input.email}}' } }],
    ['a nested form field', { method: 'POST', bodyType: 'form', body: '{"params":{"where":[["e","=","{{input.email}}"]]}}' }],
    ['paging by offset', { query: { o: '{{page.offset}}' }, paging: { kind: 'offset', itemPath: '$.a', nextPath: '$.n', maxPages: 5 } }],
    ['no path', { path: '' }],
  ])('accepts a directory request with %s', (_, request) => {
    expect(issuesOf(request)).toEqual([])
  })

  it.each<[string, Partial<DirectoryRequest>, string]>([
    [
      'a placeholder in the host',
      { path: 'https://{{setting.org}}.example.org/x' },
      'path: must be a path such as /api/members; the host is the baseUrl of the connection',
    ],
    ['a host', { path: '//evil.example/x' }, 'path: must be a path such as'],
    ['a path that becomes part of the host', { path: '{{input.email}}/x' }, 'path: must start with /'],
    ['a placeholder that becomes part of the host', { path: '.evil.example/x' }, 'path: must start with /'],
    ['a secret in the path', { path: '/x/{{secret.apiKey}}' }, 'path: {{secret.apiKey}} is not allowed in a path'],
    ['parameters in the path', { path: '/x?a=b' }, 'path: must not contain ? or #'],
    ['a dot segment', { path: '/x/../y' }, 'path: must not contain . or ..'],
    ['an encoded dot segment', { path: '/x/%2E%2e/y' }, 'path: must not contain . or ..'],
    ['a backslash', { path: '/x\\y' }, 'path: must not contain spaces or backslashes'],
    ['Host', { headers: { Host: 'x' } }, 'headers/Host: the header Host cannot be set'],
    ['content-length', { headers: { 'content-length': '1' } }, 'headers/content-length: the header content-length cannot be set'],
    ['COOKIE', { headers: { COOKIE: 'x' } }, 'headers/COOKIE: the header COOKIE cannot be set'],
    ['an invalid header name', { headers: { 'a b': 'x' } }, 'headers/a b: is not the name of a header'],
    ['a line break in a header', { headers: { 'X-A': 'a\nb' } }, 'headers/X-A: contains characters that are not allowed in a header'],
    [
      'an unknown input',
      { query: { e: '{{input.emial}}' } },
      'query/e: unknown placeholder {{input.emial}}; did you mean {{input.email}}?',
    ],
    ['an unknown setting', { query: { e: '{{setting.apiVersoin}}' } }, 'did you mean {{setting.apiVersion}}?'],
    ['an unknown kind', { query: { e: '{{env.PATH}}' } }, 'query/e: unknown placeholder {{env.PATH}}'],
    ['an unknown filter', { query: { e: '{{input.email | odate}}' } }, 'query/e: unknown filter odate; did you mean odata?'],
    ['a broken placeholder', { query: { e: '{{input.email' } }, 'query/e: "{{input.email" is not closed with }}'],
    [
      'an input that is not declared',
      { query: { e: '{{input.lastName}}' } },
      'query/e: {{input.lastName}} is used, but lastName is not among inputs',
    ],
    [
      'a placeholder in the name of a parameter',
      { query: { '{{input.email}}': 'x' } },
      'a placeholder is not allowed in the name of a parameter',
    ],
    [
      'a quoted literal without a filter',
      { query: { f: "Email eq '{{input.email}}'" } },
      "query/f: {{input.email}} needs quotes and a filter here; write '{{input.email | odata}}'",
    ],
    [
      'an expression without quotes',
      { query: { f: 'Id eq {{input.email | odata}}' } },
      'query/f: {{input.email}} needs quotes and a filter here',
    ],
    [
      'a comparison without quotes',
      { query: { q: 'SELECT Id FROM C WHERE Email={{input.email}}' } },
      'query/q: {{input.email}} needs quotes and a filter here',
    ],
    ['double quotes', { query: { q: 'email:"{{input.email}}"' } }, 'is in double quotes, which a value could close'],
    ['a body of GET', { body: '{}' }, 'body: a GET request has no body'],
    [
      'a body that is not JSON',
      { method: 'POST', body: '{"a":{{input.email}}}' },
      'body: must be JSON, with every placeholder inside a text',
    ],
    [
      'a placeholder in a key',
      { method: 'POST', body: '{"a":{"{{input.email}}":1}}' },
      'body/a: a placeholder is not allowed in a key of the body',
    ],
    ['a form that is a list', { method: 'POST', bodyType: 'form', body: '[]' }, 'body: the body of a form is a JSON object'],
    [
      'JSON as text in a form',
      { method: 'POST', bodyType: 'form', body: '{"p":"{\\"e\\":\\"{{input.email}}\\"}"}' },
      'body/p: {{input.email}} is in double quotes',
    ],
    ['a result path', { resultPath: 'items' }, 'resultPath: "items" is not an expression'],
    ['foundWhen', { foundWhen: '$..x' }, 'foundWhen: "$..x" cannot be read'],
    ['too many pages', { paging: { kind: 'next', itemPath: '$.a', nextPath: '$.n', maxPages: 6 } }, 'paging/maxPages: must be 1 to 5'],
    [
      'offset paging without page.offset',
      { paging: { kind: 'offset', itemPath: '$.a', nextPath: '$.n', maxPages: 2 } },
      'paging/kind: paging by offset needs {{page.offset}}',
    ],
    ['page.offset without paging', { query: { o: '{{page.offset}}' } }, 'query/o: unknown placeholder {{page.offset}}'],
  ])('rejects a directory request with %s', (_, request, message) => {
    expect(issuesOf(request).join('\n')).toContain(message)
    expect(() =>
      buildRequest(lookup(request), { baseUrl: 'https://x.org', settings: {}, inputs: { email: 'a' }, secretOf: secretsOf({}) }),
    ).toThrow()
  })
})

describe('buildRequest', () => {
  const build = (request: Partial<DirectoryRequest>, baseUrl = 'https://x.org/api/') =>
    buildRequest(lookup(request), {
      baseUrl,
      settings: { org: 'a b/c' },
      inputs: { email: " o'neil+x@x.org " },
      secretOf: secretsOf({ apiKey: 'k&k' }),
    })

  it('encodes every inserted value for its position in path, query, header or body', () => {
    expect(
      build({
        method: 'POST',
        path: '/{{setting.org}}/find',
        query: { $filter: "e eq '{{input.email | odata}}'", key: '{{secret.apiKey}}' },
        headers: { 'X-Key': '{{secret.apiKey}}' },
        body: '{"e":"{{input.email}}","q":"e = \'{{input.email | soql}}\'","n":[1,true,null]}',
      }),
    ).toEqual({
      method: 'POST',
      url: 'https://x.org/api/a%20b%2Fc/find?$filter=e%20eq%20%27o%27%27neil%2Bx%40x.org%27&key=k%26k',
      headers: { accept: 'application/json', 'content-type': 'application/json', 'x-key': 'k&k' },
      body: String.raw`{"e":"o'neil+x@x.org","q":"e = 'o\\'neil+x@x.org'","n":[1,true,null]}`,
    })
    expect(
      build({ method: 'POST', bodyType: 'form', query: {}, body: '{"e":"{{input.email}}","p":{"k":["{{input.email}}"]}}' }),
    ).toMatchObject({
      url: 'https://x.org/api/members',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'e=o%27neil%2Bx%40x.org&p=%7B%22k%22%3A%5B%22o%27neil%2Bx%40x.org%22%5D%7D',
    })
  })

  it('lists the inputs of a directory request template, and rejects a request without a required input or secret', () => {
    const request = lookup({
      method: 'POST',
      path: '/{{input.memberNumber}}',
      query: { e: '{{input.email}}' },
      body: '{"l":["{{input.lastName}}"]}',
    })
    expect(listRequiredInputs(request)).toEqual(['memberNumber', 'email', 'lastName'])
    expect(() => build({ query: { m: '{{input.memberNumber}}' }, inputs: ['memberNumber'] })).toThrow('The input memberNumber is required')
    expect(() => build({ headers: { 'X-A': '{{secret.other}}' } })).toThrow('The credential other is not set')
  })
})

describe('checkAuthSettings', () => {
  it.each<[DirectoryAuth['settings'], string]>([
    [{}, ''],
    [{ tokenUrl: '{base}/oauth/token', scope: '{base}/.default' }, ''],
    [{ tokenUrl: 'https://login.example.org/{{setting.org}}/token' }, ''],
    [{ tokenUrl: 'https://{{setting.org}}.example.org/token' }, 'settings/tokenUrl: must start with {base}/'],
    [{ tokenUrl: '{base}.evil.example/token' }, 'settings/tokenUrl: must start with {base}/'],
    [{ tokenUrl: 'https://user@example.org/token' }, 'settings/tokenUrl: must start with {base}/'],
    [{ tokenUrl: '/token' }, 'settings/tokenUrl: must start with {base}/'],
    [{ tokenUrl: '{base}/{{setting.ogr}}' }, 'did you mean {{setting.org}}?'],
    [{ scope: '{{secret.apiKey}}' }, 'settings/scope: unknown placeholder {{secret.apiKey}}; only settings are allowed here'],
    [{ header: 'Host' }, 'settings/header: cannot be used'],
    [{ header: 'a b' }, 'settings/header: cannot be used'],
  ])('accepts or rejects the directory authentication settings %j with the expected message', (settings, message) => {
    const issues = checkAuthSettings({ kind: 'bearer', settings }, { settings: ['org'] })
    expect(issues.map((issue) => `${issue.path}: ${issue.message}`).join('\n')).toContain(message)
    expect(issues.length > 0).toBe(message !== '')
  })

  it.each([
    ['apiKeyHeader', 'is needed: the name of the header that carries the key, such as X-API-Key'],
    ['apiKeyQuery', 'is needed: the name of the parameter that carries the key, such as api_key'],
  ] as const)('requires the name of the header or parameter that carries the API key for %s', (kind, message) => {
    expect(checkAuthSettings({ kind, settings: {} }, { settings: [] })).toEqual([{ path: 'settings/header', message }])
    expect(checkAuthSettings({ kind, settings: { header: 'key' } }, { settings: [] })).toEqual([])
  })
})
