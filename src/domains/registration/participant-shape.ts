import type { Selectable } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, flag, instant, list, object, oneOf, untrustedText, untrustedTextRegistry, text } from '../../kernel/args.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import type { Permissions } from '../../kernel/permissions.ts'
import { formatInstant } from '../../kernel/time.ts'
import { listParticipantDataFields } from '../configuration/data-fields.ts'
import { AVATAR_CHOICES, PARTICIPANT_STATUSES, type ParticipantsTable, REGISTRATION_SOURCES } from './tables.ts'

export type ParticipantRow = Selectable<ParticipantsTable>

const PROPERTIES = {
  prefix: 'prefix',
  firstName: 'first_name',
  lastName: 'last_name',
  suffix: 'suffix',
  preferredName: 'preferred_name',
  pronouns: 'pronouns',
  email: 'email',
  jobTitle: 'job_title',
  company: 'company',
  department: 'department',
  bio: 'bio',
  headshot: 'headshot',
  website: 'website',
  linkedin: 'linkedin',
  workPhone: 'work_phone',
  mobilePhone: 'mobile_phone',
  address1: 'address1',
  address2: 'address2',
  city: 'city',
  region: 'region',
  postalCode: 'postal_code',
  country: 'country',
  language: 'language',
  dietary: 'dietary',
  accessibility: 'accessibility',
  emergencyName: 'emergency_name',
  emergencyPhone: 'emergency_phone',
} as const satisfies Record<string, keyof ParticipantRow>

type Property = keyof typeof PROPERTIES

/** The table column of each `@participant.` property. */
export const PARTICIPANT_PROPERTY_COLUMNS: Readonly<Record<Property, (typeof PROPERTIES)[Property]>> = PROPERTIES

const written = () => untrustedText().optional()
const answers = () => z.record(z.string(), z.unknown().register(untrustedTextRegistry, { outside: true }))

/** A complete participant record. Empty fields, and fields that the caller has no permission to read, are absent. */
export const Participant = toOneLine(
  object({
    id: text(),
    status: oneOf(PARTICIPANT_STATUSES),
    name: untrustedText(),
    ...(Object.fromEntries(Object.keys(PROPERTIES).map((name) => [name, written()])) as Record<Property, ReturnType<typeof written>>),
    flowSlug: text().optional(),
    tags: list(text()),
    manualTags: list(text()),
    directoryTags: list(text()),
    customFieldResponses: answers().optional(),
    /** The answers about policies, sessions and rooms, which are neither standard nor custom fields. */
    answers: answers().optional(),
    sharing: z.record(z.string(), oneOf(['share', 'restrict'])),
    visibleToParticipants: flag(),
    avatarChoice: oneOf(AVATAR_CHOICES),
    aiProfile: untrustedText().optional(),
    confirmationNumber: text().optional(),
    badgeId: text().optional(),
    groupId: text().optional(),
    groupLeader: flag(),
    hostId: text().optional(),
    guestType: text().optional(),
    source: oneOf(REGISTRATION_SOURCES),
    isTestData: flag(),
    versionId: text().optional(),
    cancelReason: untrustedText().optional(),
    substitutedById: text().optional(),
    substitutesId: text().optional(),
    importRunId: text().optional(),
    createdAt: instant(),
    completedAt: instant().optional(),
    cancelledAt: instant().optional(),
    updatedAt: instant(),
    revision: count(1, 2_147_483_647),
  }),
  'status, name, properties, answers, tags, numbers, dates, revision: the whole record',
)

const ANSWERS = ['customFieldResponses', 'answers'] as const

const PERSONAL: readonly string[] = [
  ...listParticipantDataFields({ customFields: [] })
    .filter(({ personal }) => personal)
    .map(({ binding }) => binding.slice('@participant.'.length)),
  ...ANSWERS,
]

/** Lists the names of the participant fields that callers with these permissions cannot read. */
export const listWithheldFields = (permissions: Permissions): readonly string[] => (permissions.has('personal.read') ? [] : PERSONAL)

export const formatParticipantName = (row: Pick<ParticipantRow, 'first_name' | 'last_name'>): string =>
  [row.first_name, row.last_name].filter(Boolean).join(' ')

const toNullableInstant = (date: Date | null) => (date === null ? null : formatInstant(date))

export function toParticipant(row: ParticipantRow, permissions: Permissions): z.input<typeof Participant> {
  const withheld = new Set(listWithheldFields(permissions))
  const record = omitNulls({
    id: row.id,
    status: row.status,
    name: formatParticipantName(row),
    ...Object.fromEntries(Object.entries(PROPERTIES).map(([name, column]) => [name, row[column]])),
    flowSlug: row.flow_slug,
    tags: row.tags,
    manualTags: row.manual_tags,
    directoryTags: row.directory_tags,
    customFieldResponses: row.custom_field_responses,
    answers: row.answers,
    sharing: row.sharing,
    visibleToParticipants: row.visible_to_participants,
    avatarChoice: row.avatar_choice,
    aiProfile: row.ai_profile,
    confirmationNumber: row.confirmation_number,
    badgeId: row.badge_id,
    groupId: row.group_id,
    groupLeader: row.group_leader,
    hostId: row.host_id,
    guestType: row.guest_type,
    source: row.source,
    isTestData: row.is_test_data,
    versionId: row.version_id,
    cancelReason: row.cancel_reason,
    substitutedById: row.substituted_by_id,
    substitutesId: row.substitutes_id,
    importRunId: row.import_run_id,
    createdAt: formatInstant(row.created_at),
    completedAt: toNullableInstant(row.completed_at),
    cancelledAt: toNullableInstant(row.cancelled_at),
    updatedAt: formatInstant(row.updated_at),
    revision: row.revision,
  })
  return Object.fromEntries(Object.entries(record).filter(([name]) => !withheld.has(name))) as z.input<typeof Participant>
}
