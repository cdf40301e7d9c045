import type { Tool } from '../../src/kernel/tool.ts'
import { CONFIGURATION_EXAMPLES } from './examples/configuration.ts'
import { AUTHORING_EXAMPLES } from './examples/authoring.ts'
import { CLIENT_EXAMPLES } from './examples/clients.ts'
import { EXHIBITOR_EXAMPLES } from './examples/exhibitors.ts'
import { DIRECTORY_EXAMPLES } from './examples/directories.ts'
import { IMPORT_EXAMPLES } from './examples/imports.ts'
import { MONEY_EXAMPLES } from './examples/money.ts'
import { PEOPLE_EXAMPLES } from './examples/people.ts'
import { GROUP_EXAMPLES } from './examples/groups.ts'
import { HOUSING_EXAMPLES } from './examples/housing.ts'
import { FLOOR_PLANS_EXAMPLES } from './examples/floor-plans.ts'
import { AUDIENCES_EXAMPLES } from './examples/audiences.ts'
import { FLOOR_SCANS_EXAMPLES } from './examples/floor-scans.ts'
import { LAYOUTS_EXAMPLES } from './examples/layouts.ts'
import { BOOTHS_EXAMPLES } from './examples/booths.ts'
import { APPLICATIONS_EXAMPLES } from './examples/applications.ts'
import { PLACEMENTS_EXAMPLES } from './examples/placements.ts'
import { COMPANIES_EXAMPLES } from './examples/companies.ts'
import { ONSITE_EXAMPLES } from './examples/onsite.ts'
import { PRESENCE_EXAMPLES } from './examples/presence.ts'
import { SESSIONS_EXAMPLES } from './examples/sessions.ts'
import { DESIGNED_REPORTS_EXAMPLES } from './examples/designed-reports.ts'
import { REPORT_FILES_EXAMPLES } from './examples/report-files.ts'
import { CHART_EXAMPLES } from './examples/charts.ts'
import { REPORTS_QUERY_EXAMPLES } from './examples/reports-query.ts'
import { HOUSING_SUMMARY_EXAMPLES } from './examples/housing-summary.ts'
import { DATA_DICTIONARY_EXAMPLES } from './examples/data-dictionary.ts'
import { BLOCK_REQUESTS_EXAMPLES } from './examples/block-requests.ts'
import { ROOM_BLOCKS_EXAMPLES } from './examples/room-blocks.ts'
import { HOTEL_CONTRACTS_EXAMPLES } from './examples/hotel-contracts.ts'
import { HOTEL_WAITLIST_EXAMPLES } from './examples/hotel-waitlist.ts'
import { HOTEL_CATALOG_EXAMPLES } from './examples/hotel-catalog.ts'
import { HOTEL_PCI_EXAMPLES } from './examples/hotel-pci.ts'
import { BRIEFS_EXAMPLES } from './examples/briefs.ts'
import { SUPPLIERS_EXAMPLES } from './examples/suppliers.ts'
import { RFPS_EXAMPLES } from './examples/rfps.ts'
import { BIDS_EXAMPLES } from './examples/bids.ts'
import { AWARDS_EXAMPLES } from './examples/awards.ts'
import { SUPPLIER_CONTRACTS_EXAMPLES } from './examples/supplier-contracts.ts'
import { SIGNING_EXAMPLES } from './examples/signing.ts'
import { SURVEYS_EXAMPLES } from './examples/surveys.ts'
import { REGISTRATION_EXAMPLES } from './examples/registration.ts'
import { REHEARSAL_EXAMPLES } from './examples/rehearsals.ts'
import { REVIEW_EXAMPLES } from './examples/review.ts'
import { VERSION_EXAMPLES } from './examples/versions.ts'
import { TAX_EXAMPLES } from './examples/taxes.ts'
import { FEEDBACK_EXAMPLES } from './examples/feedback.ts'
import { PARTICIPANT_EXAMPLES } from './examples/participants.ts'
import { WAITLIST_EXAMPLES } from './examples/waitlist.ts'
import type { Arguments, Stage } from './stage.ts'

export type { Arguments } from './stage.ts'

/**
 * Creates the records that the call needs and returns arguments with which the call succeeds. Runs again before every call, so that a
 * changing call always has a record to change.
 */
export type Example = (stage: Stage) => Arguments | Promise<Arguments>

export type Examples = Record<string, Example | readonly Example[]>

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })
const client = ({ home }: Stage) => ({ clientCode: home.clientCode })

async function noteId(stage: Stage): Promise<string> {
  const { note } = await stage.admin.call('fixture_add_note', { ...event(stage), text: stage.text() })
  return note.id
}

async function jobId(stage: Stage): Promise<string> {
  return (await stage.admin.call('fixture_start_count', { ...event(stage), to: 3 })).jobId
}

async function threeNotes(stage: Stage): Promise<void> {
  for (let i = 0; i < 3; i++) await noteId(stage)
}

/**
 * One or more calls for each tool, used by every contract check. Build texts with `stage.text()`, whose word reveals leaks; use every id
 * argument and every action at least once; give a list at least three rows.
 */
export const EXAMPLES: Examples = {
  ...AUTHORING_EXAMPLES,
  ...EXHIBITOR_EXAMPLES,
  list_my_events: [() => ({}), (stage) => ({ ...client(stage), status: ['draft', 'published', 'archived'] })],
  list_clients: () => ({}),
  update_client: [
    (stage) => ({ ...client(stage), name: stage.text(), brand: { color: '#336699' }, clear: ['billing'] }),
    (stage) => ({ ...client(stage), billing: { legalName: stage.text(), address: stage.text() } }),
    (stage) => ({
      ...client(stage),
      taxRegistrations: [{ country: 'DE', region: stage.text().slice(-4), number: 'DE123456789', from: '2027-01-01' }],
    }),
  ],
  list_events: (stage) => ({ ...client(stage), status: ['draft', 'published', 'archived'] }),
  ...CLIENT_EXAMPLES,
  ...IMPORT_EXAMPLES,
  ...PEOPLE_EXAMPLES,
  ...CONFIGURATION_EXAMPLES,
  ...VERSION_EXAMPLES,
  ...REVIEW_EXAMPLES,
  ...REHEARSAL_EXAMPLES,
  ...REGISTRATION_EXAMPLES,
  ...FLOOR_PLANS_EXAMPLES,
  ...AUDIENCES_EXAMPLES,
  ...FLOOR_SCANS_EXAMPLES,
  ...LAYOUTS_EXAMPLES,
  ...BOOTHS_EXAMPLES,
  ...APPLICATIONS_EXAMPLES,
  ...PLACEMENTS_EXAMPLES,
  ...COMPANIES_EXAMPLES,
  ...ONSITE_EXAMPLES,
  ...PRESENCE_EXAMPLES,
  ...SESSIONS_EXAMPLES,
  ...DATA_DICTIONARY_EXAMPLES,
  ...DESIGNED_REPORTS_EXAMPLES,
  ...REPORT_FILES_EXAMPLES,
  ...CHART_EXAMPLES,
  ...REPORTS_QUERY_EXAMPLES,
  ...HOUSING_SUMMARY_EXAMPLES,
  ...BLOCK_REQUESTS_EXAMPLES,
  ...ROOM_BLOCKS_EXAMPLES,
  ...HOTEL_CONTRACTS_EXAMPLES,
  ...HOTEL_WAITLIST_EXAMPLES,
  ...HOTEL_CATALOG_EXAMPLES,
  ...HOTEL_PCI_EXAMPLES,
  ...BRIEFS_EXAMPLES,
  ...SUPPLIERS_EXAMPLES,
  ...RFPS_EXAMPLES,
  ...BIDS_EXAMPLES,
  ...AWARDS_EXAMPLES,
  ...SUPPLIER_CONTRACTS_EXAMPLES,
  ...SIGNING_EXAMPLES,
  ...SURVEYS_EXAMPLES,
  ...WAITLIST_EXAMPLES,
  ...GROUP_EXAMPLES,
  ...HOUSING_EXAMPLES,
  ...DIRECTORY_EXAMPLES,
  ...TAX_EXAMPLES,
  ...MONEY_EXAMPLES,
  ...FEEDBACK_EXAMPLES,
  ...PARTICIPANT_EXAMPLES,

  fixture_echo: (stage) => ({ text: stage.text() }),
  fixture_add_note: (stage) => ({ ...event(stage), text: stage.text() }),
  fixture_list_notes: async (stage) => {
    await threeNotes(stage)
    return event(stage)
  },
  fixture_get_note: async (stage) => ({ ...event(stage), noteId: await noteId(stage) }),
  fixture_manage_note: [
    async (stage) => ({ ...event(stage), noteId: await noteId(stage), text: stage.text(), ifRevision: 1 }),
    async (stage) => ({ ...event(stage), noteId: await noteId(stage), status: 'closed' }),
    async (stage) => {
      const note = await noteId(stage)
      await stage.admin.call('fixture_manage_note', { ...event(stage), noteId: note, status: 'closed' })
      return { ...event(stage), noteId: note, status: 'open' }
    },
  ],
  fixture_delete_notes: async (stage) => {
    await threeNotes(stage)
    return { ...event(stage), search: stage.word }
  },
  fixture_mail_note: async (stage) => ({
    ...event(stage),
    noteId: await noteId(stage),
    to: ['ada@example.org', 'ben@example.org'],
    always: 'yes',
  }),
  fixture_start_count: (stage) => ({ ...event(stage), to: 3 }),
  fixture_get_count: async (stage) => ({ ...event(stage), jobId: await jobId(stage) }),
  fixture_plot_notes: event,
}

/** Returns the examples of a tool. Without examples, throws an error that names the file in which to add one. */
export function getExamples(tool: Pick<Tool, 'name'>, examples: Examples = EXAMPLES): readonly Example[] {
  const found = Object.hasOwn(examples, tool.name) ? examples[tool.name]! : []
  const all = typeof found === 'function' ? [found] : found
  if (all.length === 0) throw new Error(`${tool.name} has no example: add one to EXAMPLES in test/contract/examples.ts`)
  return all
}

export interface ExampleCall {
  stage: Stage
  tool: Tool
  args: Arguments
}

/** Yields every example of every tool. Arguments are created lazily, right before their call. */
export async function* exampleCallsAt(stage: Stage, tools: readonly Tool[], examples: Examples = EXAMPLES): AsyncGenerator<ExampleCall> {
  for (const tool of tools) for (const example of getExamples(tool, examples)) yield { stage, tool, args: await example(stage) }
}

/** Runs a check on every example of every tool, and prefixes each problem with the tool's name. */
export async function checkExamples(
  stage: Stage,
  tools: readonly Tool[],
  check: (call: ExampleCall) => Promise<string[]>,
  examples: Examples = EXAMPLES,
): Promise<string[]> {
  const problems: string[] = []
  for await (const call of exampleCallsAt(stage, tools, examples)) {
    problems.push(...(await check(call)).map((problem) => `${call.tool.name} ${problem}`))
  }
  return [...new Set(problems)]
}

/** Caches the arguments of each example per stage, for checks in which every call is refused and changes nothing. */
export function cacheExamples(tools: readonly Tool[], examples: Examples = EXAMPLES): Examples {
  const once = (example: Example): Example => {
    const made = new WeakMap<Stage, Promise<Arguments>>()
    return (stage) => {
      const args = made.get(stage) ?? Promise.resolve(example(stage))
      made.set(stage, args)
      return args
    }
  }
  return Object.fromEntries(tools.map((tool) => [tool.name, getExamples(tool, examples).map(once)]))
}

export const callExample = ({ stage, tool, args }: ExampleCall, more: Arguments = {}) =>
  stage.callerOf(tool).answer(tool.name, { ...args, ...more })

/** Makes the dry run of a destructive call and returns its confirm token, if the call needs one. */
export async function getConfirmation(call: ExampleCall): Promise<{ confirmToken?: string }> {
  if (call.tool.effect !== 'destructive' || !call.tool.previews) return {}
  const { structuredContent } = await callExample(call, { dryRun: true })
  return structuredContent?.confirmToken ? { confirmToken: structuredContent.confirmToken } : {}
}
