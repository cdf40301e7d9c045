import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { TOOLSETS } from '../../src/kernel/permissions.ts'
import { SPECIFIED_PARTICIPANT_TOOLS, SPECIFIED_TOOLSETS, type SpecifiedTool } from './specified-tools.ts'

const organizer = Object.values(SPECIFIED_TOOLSETS).flat()
const destructive = (tools: readonly SpecifiedTool[]) => tools.filter(([, effect]) => effect === 'destructive').map(([name]) => name)

function findNameProblems(tools: readonly SpecifiedTool[]): string[] {
  const names = tools.map(([name]) => name)
  return [
    ...names.filter((name, i) => names.indexOf(name) < i).map((name) => `${name} is listed twice`),
    ...names.filter((name) => !/^[a-z][a-z_]{0,39}$/.test(name)).map((name) => `${name} is not a tool's name`),
  ]
}

/** The tools that the conventions list as destructive. */
const DESTRUCTIVE_TOOLS = {
  events: 'config_set, reset_to_version, delete_directory_connection',
  registration: 'send_group_invite, delete_managed_group, promote_waitlist_entries, record_manual_payment',
  housing: 'fill_hotel_waitlist, remove_from_hotel_waitlist',
  reports: 'run_report, design_report, export_event',
  email: 'send_campaign_now, schedule_campaign, delete_campaign, broadcast_email, broadcast, send_survey_invite_now',
  exhibitors: 'manage_booth_application, manage_company, manage_exhibitors',
  sessions: 'manage_speaker, manage_submission',
  sourcing: 'distribute_rfp, execute_award, send_contract_for_signature, void_contract_envelope',
  onsite: '',
  design: '',
  marketing: 'send_upsell_now, send_upsell_to, schedule_upsell, delete_upsell',
  automation: 'delete_scheduled_job',
  clients: 'copy_event_config, archive_event, import_event, delete_test_imports',
}

const DESTRUCTIVE_PARTICIPANT_TOOLS =
  'agent_request_otp, agent_submit_registration, update_my_registration, import_group_members, book_exhibitor_appointment, cancel_my_appointment, resend_my_confirmation_email, generate_participant_profile'

/** The specification is a sibling folder of the development checkout. In other checkouts only the copied table is checked. */
const SPECIFICATION = fileURLToPath(new URL('../../../shared/spec/', import.meta.url))
const readSpecification = (name: string) => readFileSync(`${SPECIFICATION}${name}`, 'utf8')

/** Parses rows such as `| housing | find_hotel, get_hotel |` into tool names by toolset. */
const readToolRows = (text: string): Record<string, string[]> =>
  Object.fromEntries(
    [...text.matchAll(/^\| (\w+) \| ([a-z_]+(?:, [a-z_]+)*) \|$/gm)].flatMap(([, toolset, names]) =>
      TOOLSETS.includes(toolset as (typeof TOOLSETS)[number]) ? [[toolset!, names!.split(', ')]] : [],
    ),
  )

describe.runIf(existsSync(SPECIFICATION))('the tool tables of the specification', () => {
  it('lists the organizer tools in specified-tools.ts in the order of the specification', () => {
    const listed = Object.fromEntries(Object.entries(SPECIFIED_TOOLSETS).map(([toolset, tools]) => [toolset, tools.map(([name]) => name)]))
    expect(listed).toEqual(readToolRows(readSpecification('seed-2-organizer.md')))
  })

  it('lists in specified-tools.ts only participant tools that the specification names', () => {
    const text = readSpecification('seed-1-participant.md')
    expect(SPECIFIED_PARTICIPANT_TOOLS.map(([name]) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
  })

  it('has the same list of destructive tools in this test as in the specification', () => {
    const rows = readToolRows(readSpecification('00-conventions.md'))
    for (const [toolset, names] of Object.entries(rows))
      expect(DESTRUCTIVE_TOOLS[toolset as keyof typeof DESTRUCTIVE_TOOLS]).toBe(names.join(', '))
  })
})

describe('specified tools', () => {
  it('lists 234 organizer tools in 13 toolsets in the specified sequence, and 23 participant tools', () => {
    expect(Object.keys(SPECIFIED_TOOLSETS)).toEqual(TOOLSETS)
    expect(TOOLSETS).toHaveLength(13)
    expect(organizer).toHaveLength(234)
    expect(SPECIFIED_PARTICIPANT_TOOLS).toHaveLength(23)
  })

  it('finds no tool name twice in the specification', () => {
    expect(findNameProblems(organizer)).toEqual([])
    expect(findNameProblems(SPECIFIED_PARTICIPANT_TOOLS)).toEqual([])
    const planted: SpecifiedTool[] = [
      ['get_booth', 'read'],
      ['get_booth', 'change'],
      ['Get-Booth', 'read'],
    ]
    expect(findNameProblems(planted)).toEqual(['get_booth is listed twice', "Get-Booth is not a tool's name"])
  })

  it('marks exactly the tools as destructive that the specification lists: 36 for organizers, 8 for participants', () => {
    for (const [toolset, names] of Object.entries(DESTRUCTIVE_TOOLS)) {
      const listed = destructive(SPECIFIED_TOOLSETS[toolset as keyof typeof DESTRUCTIVE_TOOLS])
      expect(listed.toSorted()).toEqual(names.split(', ').filter(Boolean).toSorted())
    }
    expect(destructive(organizer)).toHaveLength(36)
    expect(destructive(SPECIFIED_PARTICIPANT_TOOLS).toSorted()).toEqual(DESTRUCTIVE_PARTICIPANT_TOOLS.split(', ').toSorted())
    expect(SPECIFIED_PARTICIPANT_TOOLS.filter(([, effect]) => effect === 'change')).toEqual([['agent_verify_otp', 'change']])
  })
})
