import { z } from 'zod'
import { leadFieldSchema } from './widgets.ts'
import * as w from './builders.ts'

/**
 * Sections of the configuration document, each with the settings of one area. The source code of each area explains what its settings mean.
 */

const POINT_KINDS = ['yearsExhibited', 'consecutiveYears', 'modules', 'amount', 'submission', 'roomNights', 'flat'] as const

const MeetingHours = z.strictObject({ day: w.day(), from: w.timeOfDay(), until: w.timeOfDay() }).superRefine(({ from, until }, ctx) => {
  if (from >= until) ctx.addIssue({ code: 'custom', path: ['until'], message: 'must be after from' })
})

export const ExhibitorConfig = w.sectionSchema({
  leadVisibleFields: z.array(leadFieldSchema()).max(60).default(['firstName', 'lastName', 'email', 'jobTitle', 'company']),
  appointmentMinutes: w.int(5, 240).default(30),
  meetingHours: w.listWithDefault(MeetingHours, 100),
  boothSizes: w.keyedListSchema(
    'code',
    z.strictObject({
      code: w.code(),
      name: w.translatableText(80),
      width: w.numberInRange(0.01, 1000),
      depth: w.numberInRange(0.01, 1000),
      product: w.nullable(w.itemReference('products', 'booth')),
    }),
    { max: 100 },
  ),
  applicationFields: w.itemReferences('customFields', 100),
  categories: w.keyedListSchema(
    'code',
    z.strictObject({ code: w.code(), name: w.translatableText(120), parent: w.nullable(w.itemReference('categories')) }),
    { max: 500 },
  ),
  interestField: w.nullable(w.itemReference('customFields')),
  cornerProduct: w.nullable(w.itemReference('products', 'booth')),
  competitorDistance: w.numberInRange(0, 1000).default(6),
  offerDays: w.int(1, 60).default(7),
  staffAllotment: z
    .strictObject({
      base: w.int(0, 1000).default(2),
      areaStep: w.numberInRange(0.01, 10_000).default(9),
      perStep: w.int(0, 100).default(2),
      max: w.nullable(w.int(0, 10_000)),
    })
    .prefault({}),
  staffPassProduct: w.addHelpText(w.nullable(w.itemReference('products')), 'Charged to the company for booth staff beyond the free passes'),
  points: w.nullable(
    z.strictObject({
      rules: w.keyedListSchema(
        'code',
        z.strictObject({
          code: w.code(),
          kind: z.enum(POINT_KINDS),
          points: w.numberInRange(-1_000_000, 1_000_000),
          per: w.nullable(w.numberInRange(0, 1_000_000_000)),
          cap: w.nullable(w.numberInRange(0, 1_000_000_000)),
          from: w.nullable(w.day()),
        }),
        { max: 50 },
      ),
    }),
  ),
  leadQualifiers: w.itemReferences('customFields', 50),
  leadLicencesNeedPayment: w.booleanWithDefault(),
  appointmentNoticeMinutes: w.int(0, 1440).default(30),
  maxAppointmentsPerPerson: w.int(1, 200).default(20),
})

export const OnsiteSection = w.sectionSchema({
  gates: w.keyedListSchema(
    'code',
    z
      .strictObject({
        code: w.code(),
        name: w.translatableText(120),
        ...w.visibilityProperties,
        products: w.itemReferences('products', 200),
        opensAt: w.nullable(w.instant()),
        closesAt: w.nullable(w.instant()),
        capacity: w.nullable(w.int(0, 1_000_000)),
      })
      .superRefine(w.requireDateOrder('opensAt', 'closesAt')),
    { max: 200 },
  ),
  reentry: w.booleanWithDefault(true),
  unpaid: z.enum(['refuse', 'warn', 'allow']).default('warn'),
  earlyMinutes: w.int(0, 1440).default(15),
  lateMinutes: w.nullable(w.int(0, 1440)),
  duplicateSeconds: w.int(0, 600).default(30),
  requireEnrolment: w.booleanWithDefault(),
  enforceSessionCapacity: w.booleanWithDefault(true),
})

export const BadgeSection = z
  .strictObject({
    provider: z.enum(['own', 'external']).default('own'),
    delimiter: z
      .string()
      .regex(/^[^0-9a-fA-F\s\p{C}]$/u, 'one character that is neither a hexadecimal digit nor whitespace')
      .default('|'),
    segmentIndex: w.int(0, 50).default(0),
    size: z.enum(['a6', '4x3', '4x6', 'cr80', 'custom']).default('a6'),
    widthMm: w.nullable(w.numberInRange(30, 300)),
    heightMm: w.nullable(w.numberInRange(30, 300)),
    fields: w.listWithDefault(w.dataFieldReference(), 8),
    qr: w.nullable(
      z.strictObject({ content: z.enum(['badgeId', 'url', 'vcard']).default('badgeId'), ecc: z.enum(['L', 'M', 'Q', 'H']).default('M') }),
    ),
  })
  .superRefine((badge, ctx) => {
    const issue = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message })
    if (badge.provider === 'own' && badge.segmentIndex !== 0) issue('segmentIndex', 'must be 0 when the badge provider is own')
    if (badge.size === 'custom' && (badge.widthMm === null || badge.heightMm === null))
      issue('widthMm', 'a custom size needs widthMm and heightMm')
  })
  .prefault({})

export const HousingSection = z
  .strictObject({
    enabled: w.booleanWithDefault(),
    opensAt: w.nullable(w.instant()),
    closesAt: w.nullable(w.instant()),
    minNights: w.int(1, 30).default(1),
    maxNights: w.int(1, 365).default(14),
    guarantee: z.enum(['none', 'card', 'deposit']).default('none'),
    maxRoomsPerPerson: w.int(1, 20).default(1),
    terms: w.nullable(w.html()),
    deposit: w.nullable(z.strictObject({ kind: z.enum(['firstNight', 'amount', 'percent']), value: w.nullable(w.percentOrAmount()) })),
    depositRefund: w.listWithDefault(z.strictObject({ daysBefore: w.int(0, 365), percent: w.int(0, 100) }), 20),
    depositTaxCode: w.nullable(w.itemReference('taxes')),
    guaranteeHours: w.int(1, 720).default(72),
    pciGate: z.enum(['transfer', 'booking']).default('transfer'),
    offerHours: w.int(1, 336).default(48),
    requests: w.nullable(
      z.strictObject({
        enabled: w.booleanWithDefault(),
        deadlineOn: w.nullable(w.day()),
        amendUntil: w.nullable(w.day()),
        acceptDays: w.int(1, 90).default(10),
        maxRoomsPerHotel: w.nullable(w.int(1, 10_000)),
        maxPercentPerHotel: w.nullable(w.int(1, 100)),
        roomsPer10Sqm: w.nullable(w.numberInRange(0, 100)),
        growthPercent: w.nullable(w.numberInRange(0, 1000)),
      }),
    ),
    seeAvailability: z.enum(['exact', 'few', 'none']).default('few'),
  })
  .superRefine((housing, ctx) => {
    w.requireDateOrder('opensAt', 'closesAt')(housing, ctx)
    const issue = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message })
    if (housing.maxNights < housing.minNights) issue('maxNights', 'must not be less than minNights')
    if (housing.guarantee === 'deposit' && housing.deposit === null) issue('deposit', 'is required when guarantee is deposit')
    if (housing.deposit && housing.deposit.kind !== 'firstNight' && housing.deposit.value === null) issue('deposit', 'needs a value')
  })
  .prefault({})

export const SessionsSection = z
  .strictObject({
    submissionsOpenAt: w.nullable(w.instant()),
    submissionsCloseAt: w.nullable(w.instant()),
    tracks: w.keyedListSchema('code', z.strictObject({ code: w.code(), name: w.translatableText(120), color: w.nullable(w.color()) }), {
      max: 100,
    }),
    formats: w.keyedListSchema('code', z.strictObject({ code: w.code(), name: w.translatableText(120), minutes: w.int(5, 480) }), {
      max: 100,
    }),
    rooms: w.keyedListSchema(
      'code',
      z.strictObject({ code: w.code(), name: w.translatableText(120), capacity: w.nullable(w.int(0, 1_000_000)) }),
      { max: 500 },
    ),
    submissionFields: w.itemReferences('customFields', 100),
    reviewRubric: w.keyedListSchema(
      'code',
      z.strictObject({
        code: w.code(),
        name: w.translatableText(120),
        weight: w.numberInRange(0.0001, 1000),
        max: w.int(1, 10).default(5),
      }),
      { max: 30 },
    ),
    reviewsPerSubmission: w.int(1, 10).default(2),
    blind: z.enum(['none', 'single', 'double']).default('single'),
    confirmDays: w.int(1, 90).default(14),
  })
  .superRefine(w.requireDateOrder('submissionsOpenAt', 'submissionsCloseAt'))
  .prefault({})

const Question = z
  .strictObject({
    code: w.code(),
    name: w.translatableText(500),
    type: z.enum(['rating', 'nps', 'choice', 'multiChoice', 'text']),
    choices: w.keyedListSchema('code', z.strictObject({ code: w.code(), name: w.translatableText(200) }), { max: 100 }),
    required: w.booleanWithDefault(),
    scaleMax: z.union([z.literal(5), z.literal(7), z.literal(10)]).default(5),
    personal: w.booleanWithDefault(),
  })
  .superRefine(({ type, choices }, ctx) => {
    const chooses = type === 'choice' || type === 'multiChoice'
    if (chooses !== choices.length > 0) {
      ctx.addIssue({ code: 'custom', path: ['choices'], message: chooses ? 'needs at least one choice' : `is not for ${type}` })
    }
  })

export const SurveySchema = z
  .strictObject({
    code: w.code(),
    name: w.translatableText(160),
    audience: z
      .strictObject({
        flows: w.itemReferences('flows', 50),
        tags: w.nullable(w.tagRule()),
        attended: z.enum(['any', 'event', 'session']).default('any'),
        sessionIds: w.listWithDefault(w.possiblyEmptyText(63), 500),
      })
      .prefault({}),
    email: w.nullable(w.itemReference('emails')),
    opensAt: w.nullable(w.instant()),
    closesAt: w.nullable(w.instant()),
    anonymous: w.booleanWithDefault(),
    perSession: w.booleanWithDefault(),
    questions: w.nonEmptyKeyedListSchema('code', Question, { max: 60 }),
  })
  .superRefine(w.requireDateOrder('opensAt', 'closesAt'))

export const Theme = w.sectionSchema({
  colors: z
    .strictObject({
      brand: w.color().default('#1f4e79'),
      accent: w.color().default('#c8102e'),
      background: w.color().default('#ffffff'),
      surface: w.color().default('#f5f6f8'),
      text: w.color().default('#1a1a1a'),
      error: w.color().default('#b00020'),
    })
    .prefault({}),
  fontHeading: w.nonEmptyString(60).default('system-ui'),
  fontBody: w.nonEmptyString(60).default('system-ui'),
  logoFileId: w.nullable(w.fileId()),
  heroFileId: w.nullable(w.fileId()),
  radius: w.int(0, 32).default(8),
})

/**
 * A translation of one text. When a translation is saved without `sourceHash` or `state`, the hash of the current source text and the state
 * `reviewed` are filled in.
 */
const Translation = w.annotateSchema(
  z.strictObject({
    text: w.possiblyEmptyText(100_000),
    sourceHash: w.addHelpText(
      z
        .string()
        .regex(/^[0-9a-f]{16}$/, 'the first 16 hexadecimal digits of the source text’s SHA-256')
        .optional(),
      'Filled in automatically',
    ),
    state: z.enum(['machine', 'reviewed']).optional(),
  }),
  { shortFor: 'text' },
)

export const Translations = z
  .record(w.locale(), z.record(w.untrimmedText(500).regex(/^\//, 'a pointer starts with /'), Translation))
  .default({})

export const AutomationSection = w.sectionSchema({
  reminders: w.keyedListSchema(
    'code',
    z
      .strictObject({
        code: w.code(),
        enabled: w.booleanWithDefault(true),
        kind: z.enum(['incomplete', 'unpaid', 'preEvent', 'postEvent', 'waitlistOffer', 'appointment']),
        email: w.itemReference('emails'),
        offsetDays: w.nullable(w.int(-365, 365)),
        offsetHours: w.nullable(w.int(1, 168)),
        at: w.nullable(w.timeOfDay()),
        maxSends: w.int(1, 10).default(1),
        conditions: w.nullable(w.condition()),
      })
      .superRefine((reminder, ctx) => {
        const appointment = reminder.kind === 'appointment'
        if (appointment !== (reminder.offsetHours !== null)) {
          ctx.addIssue({
            code: 'custom',
            path: ['offsetHours'],
            message: appointment ? 'is required for appointments' : 'is only for appointments',
          })
        }
        if (appointment && (reminder.offsetDays !== null || reminder.at !== null)) {
          ctx.addIssue({ code: 'custom', path: ['offsetDays'], message: 'appointment reminders use only offsetHours' })
        }
      }),
    { max: 100 },
  ),
})
