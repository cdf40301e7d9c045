import { describe, expect, it } from 'vitest'
import { DEED_GROUPS, type DeedGroup, deedOf, deedsIn } from '../../src/domains/audit/deeds.ts'
import { KIND_NAMES } from '../../src/domains/audit/kinds.ts'
import { JOBS, OUTSIDE_CALLS, RECURRING } from '../../src/jobs.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { TOOLSETS_IN_ORDER } from '../../src/toolsets/index.ts'
import { readSources, type Source } from '../architecture/sources.ts'

const changing = (tools: readonly { name: string; effect: string }[]) =>
  tools.filter(({ effect }) => effect !== 'read').map(({ name }) => name)

/** What is declared somewhere is known by running. */
const declared = [
  ...TOOLSETS_IN_ORDER.flatMap(({ tools }) => changing(tools)),
  ...changing(PARTICIPANT_TOOLS),
  ...JOBS.map(({ name }) => name),
  ...RECURRING.map(({ name }) => name),
  ...OUTSIDE_CALLS.map(({ kind }) => kind),
]

/** Calls that keep a change under a name that stands in them or is handed on. */
const KEEPING =
  /\b(changeAt|changeOwn|changeAtEvent|changeHere|changeGroup|changeAs|changeWithin|keepChange|keepStep|writeAudit)(?:<[^()]*>)?\(/

/** What hands on a name that it was given, or has it from what is declared: those who name the change are read where they call it. */
const HANDS_ON = new Set([
  'src/kernel/audit.ts',
  'src/kernel/keep-change.ts',
  'src/surfaces/mcp/run-call.ts',
  'src/surfaces/worker/step.ts',
  'src/surfaces/worker/run-jobs.ts',
  'src/surfaces/worker/run-recurring.ts',
  'src/domains/registration/promotion/sweep.ts',
  'src/demo/stage.ts',
  'src/surfaces/worker/run-outside-calls.ts',
  'src/surfaces/web/console/frame.tsx',
  'src/surfaces/web/console/event/at-event.ts',
  'src/surfaces/web/event/place.ts',
  'src/surfaces/web/group/at.tsx',
  'src/surfaces/web/registration/own.tsx',
  'src/surfaces/rest/changes.ts',
])

const NAME = /^[a-z][a-z0-9_. -]{2,60}$/i
const literals = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!).filter((name) => NAME.test(name))

/** Every name under which a file of ours keeps changes, and whether one was found at all. */
function namesIn({ path, text }: Source): { names: string[]; unread: boolean } {
  const names = [
    ...literals(text, /\baction: '([^']+)'/g),
    ...literals(text, /\bchange(?:Own|AtEvent|Group)\(\s*web,\s*\w+(?:\.\w+)?,\s*'([^']+)'/g),
    ...literals(text, /\bchanging\(\s*'([^']+)'/g),
    ...literals(text, /\bconst [A-Z_]+ = '([^']+)'/g).filter((name) => /^[a-z]+(_[a-z]+)+$/.test(name)),
    ...literals(text, /\bchangeAs\([^{]*\{ name: '([^']+)'/g),
    ...literals(text, /\bchangeWithin\(\{ name: '([^']+)'/g),
    ...literals(text, /\bname: '([a-z_]+)', tenantId/g),
    ...literals(text, /\bnote\(db, \w+, '([^']+)'/g),
    ...[...text.matchAll(/AS_RECORDED = \{([^}]*)\}/g)].flatMap(([, pairs]) => literals(pairs!, /'([^']+)'/g)),
  ]
  return { names, unread: KEEPING.test(text) && names.length === 0 && !HANDS_ON.has(path) }
}

const keepers = readSources().filter(({ text }) => KEEPING.test(text))
/** The demo tells a story of calls and pages, each by the name it would have. */
const staged = readSources()
  .filter(({ path }) => path.startsWith('src/demo'))
  .flatMap(({ text }) => literals(text, /\b(?:tool|action): '([^']+)'/g))
const written = [...new Set([...declared, ...staged, ...keepers.flatMap((source) => namesIn(source).names)])]

const wordless = (names: readonly string[]) => names.filter((name) => deedOf(name) === null)

/** Kinds of records, where changes of them are noted. */
const kindsIn = ({ text }: Source) => [
  ...[...text.matchAll(/recordChange\([^)]*?\bkind: '([^']+)'/gs)].map(([, kind]) => kind!),
  ...[...text.matchAll(/editableRecord\(\{[^}]*?\bkind: '([^']+)'/gs)].map(([, kind]) => kind!),
]

describe('every change', () => {
  it('has a sentence', () => {
    expect(wordless(written)).toEqual([])
    expect(written.length).toBeGreaterThan(100)
    expect(wordless(['config_set', 'sell_the_venue'])).toEqual(['sell_the_venue'])
  })

  it('is found where it is named', () => {
    for (const name of ['create_event', 'change_role', 'replay_webhook', 'cancel_own_registration', 'finish registration', 'send_email'])
      expect(written).toContain(name)
    for (const name of [
      'oauth.connect',
      'reset_password',
      'set_up',
      'update_webhook',
      'export_audit_log',
      'run-imports',
      'payments.refund',
    ])
      expect(written).toContain(name)
    expect(keepers.filter((source) => namesIn(source).unread).map(({ path }) => path)).toEqual([])
    // A page that names its change in a way that is not read here is told of, and not passed over.
    const planted = { path: 'src/surfaces/web/console/new.tsx', text: 'await changeOwn(web, own, nameOf(form), (ctx) => sell(ctx))' }
    expect(namesIn(planted)).toEqual({ names: [], unread: true })
    expect(namesIn({ ...planted, text: "await changeOwn(web, own, 'sell_it', (ctx) => sell(ctx))" })).toEqual({
      names: ['sell_it'],
      unread: false,
    })
  })

  it('is in one group, and every group has a name', () => {
    const all = (Object.keys(DEED_GROUPS) as DeedGroup[]).flatMap(deedsIn)
    expect(new Set(all).size).toBe(all.length)
    expect(written.filter((name) => !all.includes(name))).toEqual([])
  })

  it('names only records that there are', () => {
    const words = (Object.keys(DEED_GROUPS) as DeedGroup[]).flatMap(deedsIn).map((name) => deedOf(name)!)
    const kinds = words.flatMap((told) =>
      [...told.matchAll(/\{([^=}?][^}?]*)[^}]*\}/g)].flatMap(([, kind]) => kind!.split('|')).filter((kind) => kind !== 'edit'),
    )
    expect([...new Set(kinds)].filter((kind) => !KIND_NAMES.includes(kind))).toEqual([])
  })
})

describe('every kind of record', () => {
  it('that a change is noted of has a noun', () => {
    const noted = [...new Set(readSources().flatMap(kindsIn))].filter((kind) => kind !== 'feedback')
    expect(noted.filter((kind) => !KIND_NAMES.includes(kind))).toEqual([])
    for (const kind of ['participant', 'webhook', 'configuration', 'import run', 'boothApplication']) expect(noted).toContain(kind)
    expect(kindsIn({ path: '', text: "recordChange(ctx, { kind: 'balloon', id })" })).toEqual(['balloon'])
    expect(KIND_NAMES.length).toBeGreaterThan(40)
  })
})
