import { describe, expect, it } from 'vitest'
import {
  AUDIT_ACTION_GROUPS,
  type AuditActionGroup,
  findAuditActionSentence,
  listAuditActionsOfGroup,
} from '../../src/domains/audit/actions.ts'
import { RECORD_KIND_NAMES } from '../../src/domains/audit/kinds.ts'
import { JOB_DEFINITIONS, EXTERNAL_CALL_DEFINITIONS, RECURRING_TASK_DEFINITIONS } from '../../src/jobs.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { readSources, type Source } from '../architecture/sources.ts'

const changing = (tools: readonly { name: string; effect: string }[]) =>
  tools.filter(({ effect }) => effect !== 'read').map(({ name }) => name)

/** Action names of the audit log that the registries declare. */
const declared = [
  ...ALL_TOOLSETS.flatMap(({ tools }) => changing(tools)),
  ...changing(PARTICIPANT_TOOLS),
  ...JOB_DEFINITIONS.map(({ name }) => name),
  ...RECURRING_TASK_DEFINITIONS.map(({ name }) => name),
  ...EXTERNAL_CALL_DEFINITIONS.map(({ kind }) => kind),
]

/** Matches calls that record a change in the audit log, with the action name as a literal or as an argument. */
const COMMITTING_CALL =
  /\b(runClientChange|runOwnAccountChange|runEventChange|runChangeFromEventPage|runDoorDeviceChange|runHotelChange|runSupplierChange|runSignerChange|runSurveyInviteeChange|runExhibitorChange|runGroupChange|commitApiAccountChange|applyChangeInTransaction|commitChange|runBackgroundJobStep|writeAudit)(?:<[^()]*>)?\(/

/** Files that receive the action name as an argument. Their callers are scanned instead. */
const PASSES_NAME_ON = new Set([
  'src/surfaces/web/survey/survey-site.tsx',
  'src/demo/stage.ts',
  'src/domains/registration/promotion/expire-holds.ts',
  'src/kernel/audit.ts',
  'src/kernel/commit-change.ts',
  'src/surfaces/mcp/run-call.ts',
  'src/surfaces/rest/changes.ts',
  'src/surfaces/web/console/event/event-page.ts',
  'src/surfaces/web/console/frame.tsx',
  'src/surfaces/web/door/device.ts',
  'src/surfaces/web/door/events.ts',
  'src/surfaces/web/event/event-site.ts',
  'src/surfaces/web/exhibitor/portal-access.tsx',
  'src/surfaces/web/group/group-access.tsx',
  'src/surfaces/web/hotel/hotel-site.tsx',
  'src/surfaces/web/registration/own-access.tsx',
  'src/surfaces/web/signing/signing-site.tsx',
  'src/surfaces/web/supplier/site.tsx',
  'src/surfaces/worker/run-external-calls.ts',
  'src/surfaces/worker/run-jobs.ts',
  'src/surfaces/worker/run-recurring.ts',
  'src/surfaces/worker/step.ts',
])

const NAME = /^[a-z][a-z0-9_. -]{2,60}$/i
const literals = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!).filter((name) => NAME.test(name))

/** Finds the audit action names in a source file, and whether the file records a change whose name cannot be read from the source. */
function namesIn({ path, text }: Source): { names: string[]; unread: boolean } {
  const names = [
    // Fields of forms and types are no audit actions.
    ...literals(text, /(?<!\bhidden[=:{ ]+[^{}]*)\baction: '([^']+)'(?! \|)/g),
    ...literals(
      text,
      /\brun(?:OwnAccount|Event|Group|Client|DoorDevice|Hotel|Supplier|Signer|Exhibitor)Change\(\s*web,\s*\w+(?:\.\w+)?,\s*'([^']+)'/g,
    ),
    ...literals(text, /\baudited: '([^']+)'/g),
    ...literals(text, /\bopened\.change\(\s*'([^']+)'/g),
    // One of two actions, by what the caller answered.
    ...[...text.matchAll(/\baction(?:: | = )[^?'\n]*(?:'[^']*'[^?'\n]*)?\? '([^']+)' : '([^']+)'/g)]
      .flatMap(([, one, other]) => [one!, other!])
      .filter((name) => /^[a-z]+(_[a-z]+)+$/.test(name)),
    ...literals(text, /\bchanging\(\s*'([^']+)'/g),
    ...literals(text, /\bconst [A-Z_]+ = '([^']+)'/g).filter((name) => /^[a-z]+(_[a-z]+)+$/.test(name)),
    ...literals(text, /\bcommitApiAccountChange\([^{]*\{\s*name: '([^']+)'/g),
    ...literals(text, /\bapplyChangeInTransaction\(\{\s*name: '([^']+)'/g),
    ...literals(text, /\bname: '([a-z_]+)', tenantId/g),
    ...literals(text, /\bnote\(db, \w+, '([^']+)'/g),
    ...[...text.matchAll(/AS_RECORDED = \{([^}]*)\}/g)].flatMap(([, pairs]) => literals(pairs!, /'([^']+)'/g)),
  ]
  return { names, unread: COMMITTING_CALL.test(text) && names.length === 0 && !PASSES_NAME_ON.has(path) }
}

const committingSources = readSources().filter(({ text }) => COMMITTING_CALL.test(text))
/** Audit actions that the demo data contains. They must have the names that the real calls use. */
const demoActions = readSources()
  .filter(({ path }) => path.startsWith('src/demo'))
  .flatMap(({ text }) => literals(text, /\b(?:tool|action): '([^']+)'/g))
const written = [...new Set([...declared, ...demoActions, ...committingSources.flatMap((source) => namesIn(source).names)])]

const withoutSentence = (names: readonly string[]) => names.filter((name) => findAuditActionSentence(name) === null)

/** Record kinds (`kind: '…'`) in the recordChange and defineRecord calls of a source file. */
const kindsIn = ({ text }: Source) => [
  ...[...text.matchAll(/recordChange\([^)]*?\bkind: '([^']+)'/gs)].map(([, kind]) => kind!),
  ...[...text.matchAll(/defineRecord\(\{[^}]*?\bkind: '([^']+)'/gs)].map(([, kind]) => kind!),
]

describe('audit actions', () => {
  it('defines a sentence of the audit log page for every audit action', () => {
    expect(withoutSentence(written)).toEqual([])
    expect(written.length).toBeGreaterThan(100)
    expect(withoutSentence(['config_set', 'sell_the_venue'])).toEqual(['sell_the_venue'])
  })

  it('finds the audit actions in all source files that record changes', () => {
    for (const name of ['create_event', 'change_role', 'replay_webhook', 'cancel_own_registration', 'finish registration', 'send_email'])
      expect(written).toContain(name)
    for (const name of ['door_scan', 'door_sync', 'create_door_device', 'decline_booth_offer', 'answer_decision', 'answer_invitation'])
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
    expect(committingSources.filter((source) => namesIn(source).unread).map(({ path }) => path)).toEqual([])
    // A page whose action name cannot be read is reported, not skipped.
    const planted = {
      path: 'src/surfaces/web/console/new.tsx',
      text: 'await runOwnAccountChange(web, own, nameOf(form), (ctx) => sell(ctx))',
    }
    expect(namesIn(planted)).toEqual({ names: [], unread: true })
    expect(namesIn({ ...planted, text: "await runOwnAccountChange(web, own, 'sell_it', (ctx) => sell(ctx))" })).toEqual({
      names: ['sell_it'],
      unread: false,
    })
  })

  it('assigns every audit action to exactly one filter group', () => {
    const all = (Object.keys(AUDIT_ACTION_GROUPS) as AuditActionGroup[]).flatMap(listAuditActionsOfGroup)
    expect(new Set(all).size).toBe(all.length)
    expect(written.filter((name) => !all.includes(name))).toEqual([])
  })

  it('uses only known kinds of records in the sentences of audit actions', () => {
    const words = (Object.keys(AUDIT_ACTION_GROUPS) as AuditActionGroup[])
      .flatMap(listAuditActionsOfGroup)
      .map((name) => findAuditActionSentence(name)!)
    const kinds = words.flatMap((sentence) =>
      [...sentence.matchAll(/\{([^=}?][^}?]*)[^}]*\}/g)].flatMap(([, kind]) => kind!.split('|')).filter((kind) => kind !== 'edit'),
    )
    expect([...new Set(kinds)].filter((kind) => !RECORD_KIND_NAMES.includes(kind))).toEqual([])
  })
})

describe('kinds of records in the audit log', () => {
  it('defines a displayed noun for every kind of record in the audit log', () => {
    const recordedKinds = [...new Set(readSources().flatMap(kindsIn))].filter((kind) => kind !== 'feedback')
    expect(recordedKinds.filter((kind) => !RECORD_KIND_NAMES.includes(kind))).toEqual([])
    for (const kind of ['participant', 'webhook', 'configuration', 'import run', 'boothApplication']) expect(recordedKinds).toContain(kind)
    expect(kindsIn({ path: '', text: "recordChange(ctx, { kind: 'balloon', id })" })).toEqual(['balloon'])
    expect(RECORD_KIND_NAMES.length).toBeGreaterThan(40)
  })
})
