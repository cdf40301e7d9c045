import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { EventDataForProfiles } from './compiled-event.ts'
import { JOB_FUNCTION_RULES, SENIORITY_RULES, toJobTitlePattern } from './job-titles.ts'
import { listCountriesOfSubRegion } from './sub-regions.ts'

/** A property of participants with a few levels, by which similar participants are grouped into audience profiles. */
export interface ProfileFeature {
  name: string
  /** Returns the display text of a level of this feature. Names of audience profiles are made from these texts. */
  label: (level: string) => string
  /** SQL that computes a participant's level of this feature from the sources in `read-vectors.ts`. Never null. */
  sql: RawBuilder<string>
  /** Whether the feature contains personal answers, so that groups of fewer than five people are not shown. */
  isPersonal?: true
}

const fromTable =
  (labels: Readonly<Record<string, string>>) =>
  (level: string): string =>
    labels[level] ?? level

const when = (cases: readonly (readonly [RawBuilder<unknown>, string])[], otherwise: string): RawBuilder<string> =>
  sql<string>`case ${sql.join(
    cases.map(([condition, level]) => sql`when ${condition} then ${sql.lit(level)}`),
    sql` `,
  )} else ${sql.lit(otherwise)} end`

const newness = (): ProfileFeature => ({
  name: 'newness',
  label: fromTable({ first: 'first-time', returning: 'returning' }),
  sql: when([[sql`r.contact_id is not null`, 'returning']], 'first'),
})

const origin = ({ country }: EventDataForProfiles): ProfileFeature => ({
  name: 'origin',
  label: fromTable({ home: 'from the host country', region: 'from the region', abroad: 'from abroad', unset: 'no country given' }),
  sql:
    country === null
      ? sql`'unset'::text`
      : when(
          [
            [sql`p.country is null`, 'unset'],
            [sql`p.country = ${country}`, 'home'],
            [sql`p.country = any(${listCountriesOfSubRegion(country)}::text[])`, 'region'],
          ],
          'abroad',
        ),
  isPersonal: true,
})

const leadTime = (): ProfileFeature => ({
  name: 'leadTime',
  label: fromTable({
    over90: 'early booking',
    '31-90': 'booking one to three months ahead',
    '8-30': 'booking in the last month',
    '0-7': 'last-week booking',
  }),
  sql: when(
    [
      [sql`p.lead_days > 90`, 'over90'],
      [sql`p.lead_days > 30`, '31-90'],
      [sql`p.lead_days > 7`, '8-30'],
    ],
    '0-7',
  ),
})

const spend = (): ProfileFeature => ({
  name: 'spend',
  label: fromTable({ zero: 'no spend', low: 'low spend', mid: 'medium spend', high: 'high spend' }),
  sql: when(
    [
      [sql`p.net <= 0`, 'zero'],
      [sql`p.net < t.terciles[1]`, 'low'],
      [sql`p.net < t.terciles[2]`, 'mid'],
    ],
    'high',
  ),
})

/**
 * Returns the SQL of the levels of a job title. `title` is the job title in lower case without accents; each distinct title is classified
 * only once.
 */
export const buildJobTitleLevelsSql = (title: RawBuilder<unknown>) => ({
  seniority: when(
    SENIORITY_RULES.map((rule) => [sql`${title} ~ ${toJobTitlePattern(rule)}`, rule.level]),
    'other',
  ),
  jobFunction: when(
    JOB_FUNCTION_RULES.map((rule) => [sql`${title} ~ ${toJobTitlePattern(rule)}`, rule.level]),
    'other',
  ),
})

const seniority = (): ProfileFeature => ({
  name: 'seniority',
  label: fromTable({
    executive: 'executives',
    director: 'directors',
    manager: 'managers',
    specialist: 'specialists',
    student: 'students',
    other: 'other job titles',
    unset: 'no job title',
  }),
  sql: sql`coalesce(j.seniority, 'unset')`,
})

const jobFunction = (): ProfileFeature => ({
  name: 'function',
  label: fromTable({
    marketing: 'in marketing',
    sales: 'in sales',
    it: 'in IT',
    finance: 'in finance',
    hr: 'in human resources',
    operations: 'in operations',
    research: 'in research',
    other: 'other functions',
    unset: 'no job title',
  }),
  sql: sql`coalesce(j.job_function, 'unset')`,
})

const channel = ({ flowKinds }: EventDataForProfiles): ProfileFeature => ({
  name: 'channel',
  label: (level) => (level.endsWith('-group') ? `${level.slice(0, -'-group'.length)} registration in a group` : `${level} registration`),
  sql: sql<string>`coalesce((${JSON.stringify(Object.fromEntries(flowKinds))}::jsonb) ->> p.flow_slug, 'other') || case when p.group_id is null then '' else '-group' end`,
})

const stay = (): ProfileFeature => ({
  name: 'stay',
  label: fromTable({ block: 'staying in the room block', none: 'no room in the block' }),
  sql: when([[sql`h.participant_id is not null`, 'block']], 'none'),
})

const extras = (): ProfileFeature => ({
  name: 'extras',
  label: fromTable({ '0': 'no extras', '1': 'one kind of extra', '2+': 'several kinds of extras' }),
  sql: when(
    [
      [sql`coalesce(b.extras, 0) = 0`, '0'],
      [sql`b.extras = 1`, '1'],
    ],
    '2+',
  ),
})

const sessions = ({ trackNames }: EventDataForProfiles): ProfileFeature => ({
  name: 'sessions',
  label: (level) => (level === 'several' ? 'several tracks' : level === 'none' ? 'no sessions' : `track ${trackNames.get(level) ?? level}`),
  sql: sql`coalesce(s.track, 'none')`,
})

/** Whether participants open and click emails. This is not recorded yet: all have the level `none`, so grouping ignores it. */
const engagement = (): ProfileFeature => ({
  name: 'engagement',
  label: fromTable({ none: 'no email opened', opened: 'opening emails', clicked: 'clicking in emails' }),
  sql: sql`'none'::text`,
})

const networking = (): ProfileFeature => ({
  name: 'networking',
  label: fromTable({ '0': 'no contacts', '1-4': 'some contacts', '5+': 'many contacts' }),
  sql: when(
    [
      [sql`p.leads + coalesce(a.appointments, 0) = 0`, '0'],
      [sql`p.leads + coalesce(a.appointments, 0) < 5`, '1-4'],
    ],
    '5+',
  ),
})

const presence = ({ isOver }: EventDataForProfiles): ProfileFeature => ({
  name: 'presence',
  label: fromTable({ attended: 'attended', absent: 'did not attend', unknown: 'attendance unknown' }),
  sql: when([[sql`p.attended`, 'attended']], isOver ? 'absent' : 'unknown'),
})

const customField = ({ code, name, isPersonal, choices }: EventDataForProfiles['choiceFields'][number]): ProfileFeature => ({
  name: `custom.${code}`,
  label: (level) => (level === 'unset' ? `no answer to ${name}` : (choices.get(level) ?? level)),
  sql: sql`coalesce(p.custom_field_responses ->> ${code}, 'unset')`,
  ...(isPersonal ? { isPersonal: true as const } : {}),
})

const BUILT_IN = [
  newness,
  origin,
  leadTime,
  spend,
  seniority,
  jobFunction,
  channel,
  stay,
  extras,
  sessions,
  engagement,
  networking,
  presence,
] as const

/** Lists all features of an event in a fixed order, followed by the custom fields that the caller chose. */
export const listFeatures = (event: EventDataForProfiles): ProfileFeature[] => [
  ...BUILT_IN.map((define) => define(event)),
  ...event.choiceFields.map(customField),
]
