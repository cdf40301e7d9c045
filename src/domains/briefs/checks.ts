import type { BriefAnswers } from './answers.ts'
import { countRoomsOfNight } from './needs.ts'
import { pickApplicableAnswers, type QuestionCode } from './questions.ts'

/** Two or more answers that contradict each other. */
export interface Contradiction {
  codes: readonly QuestionCode[]
  message: string
}

/** The largest plausible number of people at one event function, such as a dinner, as a multiple of the event's attendees. */
const MAX_PEOPLE_PER_ATTENDEE = 2

/** Finds contradictions between answers. Answers to questions that do not apply are ignored. */
export function findContradictions(answers: BriefAnswers): Contradiction[] {
  const live = pickApplicableAnswers(answers)
  return [...checkDates(live), ...checkRooms(live), ...checkFunctions(live), ...checkCurrencies(live)]
}

function checkDates({ preferredArrival: arrival, preferredDeparture: departure }: BriefAnswers): Contradiction[] {
  if (arrival === undefined || departure === undefined || arrival < departure) return []
  return [
    {
      codes: ['preferredArrival', 'preferredDeparture'],
      message: `the departure (${departure}) must be later than the arrival (${arrival})`,
    },
  ]
}

function checkRooms({ roomsByNight, preferredArrival: arrival, preferredDeparture: departure }: BriefAnswers): Contradiction[] {
  if (roomsByNight === undefined) return []
  const nights = roomsByNight.map(({ night }) => night)
  const early = arrival === undefined ? [] : nights.filter((night) => night < arrival)
  const late = departure === undefined ? [] : nights.filter((night) => night >= departure)
  return [
    ...(early.length === 0
      ? []
      : [{ codes: ['roomsByNight', 'preferredArrival'] as const, message: `${early.join(', ')}: before the arrival (${arrival})` }]),
    ...(late.length === 0
      ? []
      : [
          {
            codes: ['roomsByNight', 'preferredDeparture'] as const,
            message: `${late.join(', ')}: no night before the departure (${departure})`,
          },
        ]),
    ...(roomsByNight.some((need) => countRoomsOfNight(need) > 0)
      ? []
      : [{ codes: ['roomsByNight'] as const, message: 'at least one room on one night, or answer needRooms with false' }]),
  ]
}

function checkFunctions({ functions = [], attendees }: BriefAnswers): Contradiction[] {
  if (attendees === undefined) return []
  const limit = MAX_PEOPLE_PER_ATTENDEE * attendees
  const large = functions.filter(({ people }) => people > limit)
  if (large.length === 0) return []
  const named = large.map(({ name, people }) => `${name} (${people})`).join(', ')
  return [{ codes: ['functions', 'attendees'], message: `${named}: more than twice the ${attendees} attendees` }]
}

/** Checks that all amounts of a brief are in the same currency. */
function checkCurrencies({ currency, budget, maxRate }: BriefAnswers): Contradiction[] {
  const used: [QuestionCode, string | undefined][] = [
    ['currency', currency],
    ['budget', budget?.currency],
    ['maxRate', maxRate?.currency],
  ]
  const known = used.filter((one): one is [QuestionCode, string] => one[1] !== undefined)
  return known.flatMap(([code, written], index) =>
    known
      .slice(index + 1)
      .filter(([, other]) => other !== written)
      .map(([other, differing]) => ({ codes: [code, other], message: `${written} and ${differing}: give all amounts in one currency` })),
  )
}
