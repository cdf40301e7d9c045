import type { Tool } from '../../src/kernel/tool.ts'
import type { ToolExample } from '../../src/surfaces/web/docs/examples.ts'
import { concealSecrets } from './conceal-secrets.ts'
import { type Arguments, type DemoScenario, ALL_TOOLS } from './demo-scenario.ts'
import { CLIENT_EXAMPLES } from './examples/clients.ts'
import { EVENT_EXAMPLES } from './examples/events.ts'
import type { Examples } from './examples/example.ts'
import { FEEDBACK_EXAMPLES } from './examples/feedback.ts'
import { PARTICIPANT_EXAMPLES } from './examples/participants.ts'
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
import { listRefusals } from './refusals.ts'
import { shortenAnswer } from './shorten.ts'

/** In this order, because later examples use what earlier ones prepared. */
const EXAMPLES: Examples = {
  ...EVENT_EXAMPLES,
  ...CLIENT_EXAMPLES,
  ...REGISTRATION_EXAMPLES,
  ...FLOOR_PLANS_EXAMPLES,
  ...AUDIENCES_EXAMPLES,
  ...FLOOR_SCANS_EXAMPLES,
  ...LAYOUTS_EXAMPLES,
  ...BOOTHS_EXAMPLES,
  ...APPLICATIONS_EXAMPLES,
  ...PLACEMENTS_EXAMPLES,
  ...COMPANIES_EXAMPLES,
  ...ONSITE_EXAMPLES, ...PRESENCE_EXAMPLES,
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
  ...PARTICIPANT_EXAMPLES,
  ...FEEDBACK_EXAMPLES,
}

/** One real call of every tool with its response, and the responses to invalid calls. */
export async function buildToolExamples(stage: DemoScenario): Promise<Record<string, ToolExample>> {
  const missing = ALL_TOOLS.filter(({ name }) => !Object.hasOwn(EXAMPLES, name)).map(({ name }) => name)
  if (missing.length > 0) throw new Error(`No example for ${missing.join(', ')}: add one to scripts/docs/examples`)
  const made: Record<string, ToolExample> = {}
  const failed: string[] = []
  for (const [name, example] of Object.entries(EXAMPLES)) {
    stage.begin(name)
    const tool = ALL_TOOLS.find((one) => one.name === name)
    if (!tool) throw new Error(`There is an example for ${name}, which is not a tool`)
    try {
      made[name] = await exampleOf(stage, tool, await example(stage))
    } catch (error) {
      failed.push(`${name}: ${(error as Error).message}`)
    }
  }
  if (failed.length > 0) throw new Error(`Examples failed.\n${failed.join('\n')}`)
  return Object.fromEntries(ALL_TOOLS.map(({ name }) => [name, made[name]!]))
}

async function exampleOf(stage: DemoScenario, tool: Tool, given: Arguments): Promise<ToolExample> {
  const sent: Arguments = tool.previews ? { ...given, dryRun: true } : given
  const outcome = await stage.outcome(tool, sent)
  if (outcome.kind === 'error') throw outcome.error
  const { value, leftOut } = shortenAnswer(concealSecrets(JSON.parse(outcome.json)) as Record<string, unknown>)
  return { arguments: concealSecrets(sent) as Arguments, answer: value, leftOut, refusals: await listRefusals(stage, tool, given) }
}
