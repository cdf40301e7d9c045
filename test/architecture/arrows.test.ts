import { describe, expect, it } from 'vitest'
import { DOMAIN_USES } from '../../src/domains/map.ts'
import { problemsOfImports, problemsOfMap } from './arrows.ts'
import { readSources } from './sources.ts'

const sources = readSources()
const domains = [...new Set(sources.flatMap(({ path }) => path.match(/^src\/domains\/([^/.]+)\//)?.[1] ?? []))]

const imports = (path: string, text: string) => problemsOfImports([{ path, text }], { housing: ['tenancy'], tenancy: [] })

describe('imports', () => {
  it('follow the arrows', () => {
    expect(sources.length).toBeGreaterThan(80)
    expect(problemsOfImports(sources, DOMAIN_USES)).toEqual([])
  })

  it.each([
    ['src/kernel/page.ts', `import { x } from '../domains/tenancy/scope.ts'`, 'src/domains/tenancy/scope.ts, against the arrows'],
    ['src/kernel/page.ts', `import { x } from '../platform/pool.ts'`, 'src/platform/pool.ts, against the arrows'],
    [
      'src/domains/housing/blocks.ts',
      `import type { T } from '../../surfaces/mcp/views.ts'`,
      'src/surfaces/mcp/views.ts, against the arrows',
    ],
    [
      'src/domains/housing/blocks.ts',
      `import x from '../../toolsets/housing/find-hotel.ts'`,
      'src/toolsets/housing/find-hotel.ts, against the arrows',
    ],
    [
      'src/toolsets/housing/find-hotel.ts',
      `export { x } from '../../surfaces/http/bearer.ts'`,
      'src/surfaces/http/bearer.ts, against the arrows',
    ],
    [
      'src/toolsets/housing/find-hotel.ts',
      `import x from '../events/list-my-events.ts'`,
      "src/toolsets/events/list-my-events.ts, which is another toolset's",
    ],
    [
      'src/participant-tools/get-hotel-list.ts',
      `import x from '../toolsets/housing/find-hotel.ts'`,
      'src/toolsets/housing/find-hotel.ts, against the arrows',
    ],
    ['src/surfaces/mcp/views.ts', `const x = await import('../../platform/mailer.ts')`, 'src/platform/mailer.ts, against the arrows'],
    ['src/surfaces/mcp/views.ts', `import { x } from '../../app.ts'`, 'src/app.ts, against the arrows'],
    ['src/platform/mailer.ts', `import { x } from '../domains/tenancy/scope.ts'`, 'src/domains/tenancy/scope.ts, against the arrows'],
    ['src/app.ts', `import { x } from './platform/pool.ts'`, 'src/platform/pool.ts, against the arrows'],
    ['src/app.ts', `import { x } from './start.ts'`, 'src/start.ts, against the arrows'],
    ['src/kernel/page.ts', `import '../../test/support/world.ts'`, 'test/support/world.ts, against the arrows'],
  ])('would be reported: %s with %s', (path, text, expected) => {
    expect(imports(path, text)).toEqual([`${path} imports ${expected}`])
  })

  it('go from domain to domain only along the map', () => {
    expect(imports('src/domains/housing/blocks.ts', `import { x } from '../tenancy/scope.ts'`)).toEqual([])
    expect(imports('src/domains/tenancy/scope.ts', `import { x } from '../housing/blocks.ts'`)).toEqual([
      'src/domains/tenancy/scope.ts imports src/domains/housing/blocks.ts: src/domains/map.ts does not let tenancy use housing',
    ])
  })

  it.each([
    ['src/domains/housing/blocks.ts', 'hono/html', 'hono, which is not for domains'],
    ['src/kernel/tool.ts', '@modelcontextprotocol/server', '@modelcontextprotocol/server, which is not for kernel'],
    ['src/surfaces/mcp/views.ts', 'pg', 'pg, which is not for surfaces'],
    ['src/start.ts', '@electric-sql/pglite/node-postgres', '@electric-sql/pglite, which is not for composition'],
    ['src/domains/housing/blocks.ts', 'nodemailer', 'nodemailer, which is not for domains'],
    ['src/kernel/jobs.ts', 'pg-boss', 'pg-boss, which is not for kernel'],
    ['src/kernel/time.ts', 'moment', 'moment, of which test/architecture/arrows.ts does not say who may'],
  ])('would be reported: %s with the package %s', (path, name, expected) => {
    expect(imports(path, `import {\n  x,\n} from '${name}'`)).toEqual([`${path} imports ${expected}`])
  })

  it('find every file in a place', () => {
    expect(imports('lib/x.ts', '')).toEqual(['lib/x.ts has no place in the architecture'])
    expect(imports('src/kernel/time.ts', `import { createHash } from 'node:crypto'\nimport { z } from 'zod'`)).toEqual([])
  })
})

describe('the map of domains', () => {
  it('has every domain and no circle', () => {
    expect(problemsOfMap(DOMAIN_USES, domains)).toEqual([])
  })

  it('would be reported with a circle, a domain left out, or one that is none', () => {
    expect(problemsOfMap({ a: ['b'], b: ['c'], c: ['a'] }, [])).toEqual(['the map goes in a circle: a -> b -> c -> a'])
    expect(problemsOfMap({ a: ['a'] }, ['a', 'd'])).toEqual(['d is not on the map', 'the map goes in a circle: a -> a'])
    expect(problemsOfMap({ a: ['e'] }, ['a'])).toEqual(['a uses e, which is not on the map'])
  })
})
