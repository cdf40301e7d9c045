import { describe, expect, it } from 'vitest'
import { ALLOWED_DOMAIN_IMPORTS } from '../../src/domains/map.ts'
import { findImportProblems, findDomainMapProblems } from './layers.ts'
import { readSources } from './sources.ts'

const sources = readSources()
const domains = [...new Set(sources.flatMap(({ path }) => path.match(/^src\/domains\/([^/.]+)\//)?.[1] ?? []))]

const imports = (path: string, text: string) => findImportProblems([{ path, text }], { housing: ['tenancy'], tenancy: [] })

describe('imports between source files', () => {
  it('finds no import from a layer that the importing layer must not depend on', () => {
    expect(sources.length).toBeGreaterThan(80)
    expect(findImportProblems(sources, ALLOWED_DOMAIN_IMPORTS)).toEqual([])
  })

  it.each([
    ['src/kernel/page.ts', `import { x } from '../domains/tenancy/scope.ts'`, 'src/domains/tenancy/scope.ts, against the layer rules'],
    ['src/kernel/page.ts', `import { x } from '../platform/pool.ts'`, 'src/platform/pool.ts, against the layer rules'],
    [
      'src/domains/housing/blocks.ts',
      `import type { T } from '../../surfaces/mcp/views.ts'`,
      'src/surfaces/mcp/views.ts, against the layer rules',
    ],
    [
      'src/domains/housing/blocks.ts',
      `import x from '../../toolsets/housing/find-hotel.ts'`,
      'src/toolsets/housing/find-hotel.ts, against the layer rules',
    ],
    [
      'src/toolsets/housing/find-hotel.ts',
      `export { x } from '../../surfaces/http/bearer.ts'`,
      'src/surfaces/http/bearer.ts, against the layer rules',
    ],
    [
      'src/toolsets/housing/find-hotel.ts',
      `import x from '../events/list-my-events.ts'`,
      'src/toolsets/events/list-my-events.ts, which belongs to another toolset',
    ],
    [
      'src/participant-tools/get-hotel-list.ts',
      `import x from '../toolsets/housing/find-hotel.ts'`,
      'src/toolsets/housing/find-hotel.ts, against the layer rules',
    ],
    ['src/surfaces/mcp/views.ts', `const x = await import('../../platform/mailer.ts')`, 'src/platform/mailer.ts, against the layer rules'],
    ['src/surfaces/mcp/views.ts', `import { x } from '../../app.ts'`, 'src/app.ts, against the layer rules'],
    ['src/platform/mailer.ts', `import { x } from '../domains/tenancy/scope.ts'`, 'src/domains/tenancy/scope.ts, against the layer rules'],
    ['src/app.ts', `import { x } from './platform/pool.ts'`, 'src/platform/pool.ts, against the layer rules'],
    ['src/app.ts', `import { x } from './start.ts'`, 'src/start.ts, against the layer rules'],
    ['src/kernel/page.ts', `import '../../test/support/world.ts'`, 'test/support/world.ts, against the layer rules'],
  ])('reports a forbidden import, in the file %s: %s', (path, text, expected) => {
    expect(imports(path, text)).toEqual([`${path} imports ${expected}`])
  })

  it('finds imports between domains only where the domain map allows them', () => {
    expect(imports('src/domains/housing/blocks.ts', `import { x } from '../tenancy/scope.ts'`)).toEqual([])
    expect(imports('src/domains/tenancy/scope.ts', `import { x } from '../housing/blocks.ts'`)).toEqual([
      'src/domains/tenancy/scope.ts imports src/domains/housing/blocks.ts: src/domains/map.ts does not let tenancy use housing',
    ])
  })

  it.each([
    ['src/domains/housing/blocks.ts', 'hono/html', 'hono, which is not allowed in domains'],
    ['src/kernel/tool.ts', '@modelcontextprotocol/server', '@modelcontextprotocol/server, which is not allowed in kernel'],
    ['src/surfaces/mcp/views.ts', 'pg', 'pg, which is not allowed in surfaces'],
    ['src/start.ts', '@electric-sql/pglite/node-postgres', '@electric-sql/pglite, which is not allowed in composition'],
    ['src/domains/housing/blocks.ts', 'nodemailer', 'nodemailer, which is not allowed in domains'],
    ['src/kernel/jobs.ts', 'pg-boss', 'pg-boss, which is not allowed in kernel'],
    ['src/kernel/time.ts', 'moment', 'moment, which is not listed in test/architecture/layers.ts'],
  ])('reports a forbidden package, imported in the file %s: %s', (path, name, expected) => {
    expect(imports(path, `import {\n  x,\n} from '${name}'`)).toEqual([`${path} imports ${expected}`])
  })

  it('assigns every source file to a layer', () => {
    expect(imports('lib/x.ts', '')).toEqual(['lib/x.ts belongs to no layer'])
    expect(imports('src/kernel/time.ts', `import { createHash } from 'node:crypto'\nimport { z } from 'zod'`)).toEqual([])
  })
})

describe('map of allowed imports between domains', () => {
  it('lists every domain in the domain map, and allows no cycles between domains', () => {
    expect(findDomainMapProblems(ALLOWED_DOMAIN_IMPORTS, domains)).toEqual([])
  })

  it('reports a cycle, a missing domain and an unknown domain in the domain map', () => {
    expect(findDomainMapProblems({ a: ['b'], b: ['c'], c: ['a'] }, [])).toEqual(['the map has a cycle: a -> b -> c -> a'])
    expect(findDomainMapProblems({ a: ['a'] }, ['a', 'd'])).toEqual(['d is not on the map', 'the map has a cycle: a -> a'])
    expect(findDomainMapProblems({ a: ['e'] }, ['a'])).toEqual(['a uses e, which is not on the map'])
  })
})
