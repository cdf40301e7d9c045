import { z } from 'zod'
import { count, currency, day, flag, list, money, name, object, oneOf, text, timeOfDay } from '../../kernel/args.ts'
import { toMinorUnits } from '../../kernel/money.ts'
import { AppError } from '../../kernel/errors.ts'
import { type BriefAnswers, ROOM_SETUPS } from './answers.ts'

export const BRIEF_SECTIONS = ['basics', 'dates', 'place', 'rooms', 'space', 'food', 'av', 'money', 'terms', 'history'] as const
export type BriefSection = (typeof BRIEF_SECTIONS)[number]
export type QuestionCode = keyof BriefAnswers

/** The client's settings that decide which questions are required. */
export interface RequiredQuestionSettings {
  hasApprovalLimit: boolean
}

export interface BriefQuestion {
  code: QuestionCode
  section: BriefSection
  text: string
  /** The data type of the answer, such as `number` or `[{ day, kind, people }]`. */
  type: string
  choices?: readonly string[]
  required?: true | ((settings: RequiredQuestionSettings) => boolean)
  /** The question that must be answered with true for this question to apply. */
  onlyIf?: 'needRooms' | 'needSpace'
  /** The schema of a single answer. Contradictions between answers are found by `checks.ts`. */
  shape: z.ZodType
}

const EVENT_TYPES = ['conference', 'congress', 'exhibition', 'meeting', 'training', 'incentive', 'celebration', 'other'] as const

const amount = () =>
  money().superRefine(({ amount: written, currency: code }, ctx) => {
    try {
      if (toMinorUnits(written, code) <= 0) ctx.addIssue({ code: 'custom', path: ['amount'], message: 'greater than 0' })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      ctx.addIssue({ code: 'custom', path: ['amount'], message: error.message })
    }
  })

const MONEY = '{ amount, currency }'
const words = (max: number) => list(text(120), max).min(1, 'at least one')

const RoomNeedShape = object({
  night: day(),
  single: count(0, 20_000).optional(),
  double: count(0, 20_000).optional(),
  suite: count(0, 20_000).optional(),
  staff: count(0, 20_000).optional(),
})

const FunctionShape = object({
  name: name(120),
  day: day(),
  from: timeOfDay(),
  until: timeOfDay(),
  people: count(1, 1_000_000),
  setup: oneOf(ROOM_SETUPS),
}).refine(({ from, until }) => from < until, { path: ['until'], message: 'later than from' })

const DateOptionShape = object({ arrival: day(), departure: day() }).refine(({ arrival, departure }) => arrival < departure, {
  path: ['departure'],
  message: 'later than arrival',
})

const uniqueNights = (nights: readonly { night: string }[]) => new Set(nights.map(({ night }) => night)).size === nights.length

/** The questions of a brief, in the order in which they are asked. */
export const BRIEF_QUESTIONS: readonly BriefQuestion[] = [
  { code: 'purpose', section: 'basics', text: 'What is the event for?', type: 'text', required: true, shape: text(2000) },
  {
    code: 'eventType',
    section: 'basics',
    text: 'What kind of event is it?',
    type: 'choice',
    choices: EVENT_TYPES,
    required: true,
    shape: oneOf(EVENT_TYPES),
  },
  {
    code: 'attendees',
    section: 'basics',
    text: 'How many people attend?',
    type: 'number',
    required: true,
    shape: count(1, 1_000_000),
  },
  {
    code: 'decisionFactors',
    section: 'basics',
    text: 'What decides between offers, most important first?',
    type: '[text]',
    shape: words(20),
  },
  { code: 'preferredArrival', section: 'dates', text: 'On which day do guests arrive?', type: 'day', required: true, shape: day() },
  { code: 'preferredDeparture', section: 'dates', text: 'On which day do guests leave?', type: 'day', required: true, shape: day() },
  {
    code: 'alternates',
    section: 'dates',
    text: 'Which other dates would work?',
    type: '[{ arrival, departure }]',
    shape: list(DateOptionShape, 12),
  },
  { code: 'flexible', section: 'dates', text: 'May suppliers propose other dates?', type: 'boolean', shape: flag() },
  { code: 'cities', section: 'place', text: 'In which cities may the event take place?', type: '[text]', required: true, shape: words(10) },
  {
    code: 'radiusKm',
    section: 'place',
    text: 'How far from the center of the city may it be, in kilometers?',
    type: 'number',
    shape: z.number().min(0.1, 'at least 0.1').max(200, 'at most 200'),
  },
  { code: 'needRooms', section: 'rooms', text: 'Do guests need hotel rooms?', type: 'boolean', required: true, shape: flag() },
  {
    code: 'roomsByNight',
    section: 'rooms',
    text: 'How many rooms are needed on each night?',
    type: '[{ night, single?, double?, suite?, staff? }]',
    required: true,
    onlyIf: 'needRooms',
    shape: list(RoomNeedShape, 60).min(1, 'at least one night').refine(uniqueNights, 'each night once'),
  },
  { code: 'maxRate', section: 'rooms', text: 'What may a room cost per night at most?', type: MONEY, onlyIf: 'needRooms', shape: amount() },
  { code: 'needSpace', section: 'space', text: 'Do you need meeting or exhibition space?', type: 'boolean', required: true, shape: flag() },
  {
    code: 'functions',
    section: 'space',
    text: 'Which functions need a room, and how is it set up?',
    type: `[{ name, day, from, until, people, setup ${ROOM_SETUPS.join('|')} }]`,
    required: true,
    onlyIf: 'needSpace',
    shape: list(FunctionShape, 500).min(1, 'at least one function'),
  },
  {
    code: 'exhibitBooths',
    section: 'space',
    text: 'How many exhibition booths are planned?',
    type: 'number',
    onlyIf: 'needSpace',
    shape: count(0, 20_000),
  },
  {
    code: 'meals',
    section: 'food',
    text: 'Which meals are served, on which days and for how many people?',
    type: '[{ day, kind, people }]',
    shape: list(object({ day: day(), kind: text(40), people: count(1, 1_000_000) }), 300),
  },
  { code: 'avNeeds', section: 'av', text: 'What audio and video equipment is needed?', type: 'text', shape: text(4000) },
  {
    code: 'budget',
    section: 'money',
    text: 'What is the budget for the whole event?',
    type: MONEY,
    required: ({ hasApprovalLimit }) => hasApprovalLimit,
    shape: amount(),
  },
  { code: 'currency', section: 'money', text: 'In which currency should suppliers offer?', type: 'currency code', shape: currency() },
  { code: 'concessionsWanted', section: 'money', text: 'Which concessions do you want to ask for?', type: '[text]', shape: words(30) },
  {
    code: 'attritionWanted',
    section: 'terms',
    text: 'Which share of the rooms would you commit to, in percent?',
    type: 'number',
    shape: z.number().min(0, 'at least 0').max(100, 'at most 100'),
  },
  {
    code: 'cutoffDaysWanted',
    section: 'terms',
    text: 'How many days before arrival should unreserved rooms be returned?',
    type: 'number',
    shape: count(0, 365),
  },
  { code: 'mustHaves', section: 'terms', text: 'What must a supplier have, such as wifi or parking?', type: '[text]', shape: words(30) },
  {
    code: 'pastPickup',
    section: 'history',
    text: 'How many room nights were contracted and picked up at past events?',
    type: '[{ event, contracted, pickup }]',
    shape: list(object({ event: text(160), contracted: count(), pickup: count() }), 20),
  },
]

export const QUESTION_CODES = BRIEF_QUESTIONS.map(({ code }) => code)
const BY_CODE = new Map<string, BriefQuestion>(BRIEF_QUESTIONS.map((question) => [question.code, question]))

export const findQuestion = (code: string): BriefQuestion | null => BY_CODE.get(code) ?? null

export const isQuestionApplicable = ({ onlyIf }: BriefQuestion, answers: BriefAnswers): boolean =>
  onlyIf === undefined || answers[onlyIf] === true

export const isQuestionRequired = ({ required }: BriefQuestion, settings: RequiredQuestionSettings): boolean =>
  typeof required === 'function' ? required(settings) : required === true

/** Returns the answers to questions that apply. Answers to other questions stay stored but are ignored. */
export const pickApplicableAnswers = (answers: BriefAnswers): BriefAnswers =>
  Object.fromEntries(
    BRIEF_QUESTIONS.filter((question) => isQuestionApplicable(question, answers)).flatMap(({ code }) =>
      code in answers ? [[code, answers[code]]] : [],
    ),
  )

/** Lists the codes of required questions that apply and have no answer. */
export const listUnansweredQuestions = (answers: BriefAnswers, settings: RequiredQuestionSettings): QuestionCode[] =>
  BRIEF_QUESTIONS.filter(
    (question) => isQuestionApplicable(question, answers) && isQuestionRequired(question, settings) && answers[question.code] === undefined,
  ).map(({ code }) => code)
