import { preconditionFailed } from '../../kernel/errors.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { holdingsOf, quantitiesOf } from '../registration/holdings.ts'
import { nameOf, type ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { isRestricted, photoOf } from '../configuration/sharing.ts'
import { heardBy } from '../sessions/enrolments.ts'
import { eventPaths } from '../tenancy/public-pages.ts'
import { type Candidate, candidatesAmong, likest } from './candidates.ts'
import { configurationOf } from './configuration.ts'
import { COUNTED, countsOf } from './counts.ts'
import { choicesTaken, type Facts, factsOf, interestOf } from './facts.ts'
import { likeness, overlap, rarity } from './interests.ts'
import { pictureLinks } from './pictures.ts'
import { ranked, rounded } from './scores.ts'
import { type Corpus, textLikeness, vectorOf } from './vectors.ts'

export interface Weighing {
  weightOf: (interest: string) => number
  corpus: Corpus
}

type Compared = Pick<Facts, 'interests' | 'sessions' | 'terms' | 'company'>

const vector = ({ terms }: Compared, corpus: Corpus) => vectorOf(new Map(Object.entries(terms)), corpus)

/** How well two people go together. Colleagues know each other already. */
export function matchOf(mine: Compared, weighing: Weighing): (theirs: Compared) => number {
  const own = vector(mine, weighing.corpus)
  const [interests, sessions] = [new Set(mine.interests), new Set(mine.sessions)]
  return (theirs) =>
    matchScore({
      interests: likeness(interests, new Set(theirs.interests), weighing.weightOf),
      text: textLikeness(own, vector(theirs, weighing.corpus)),
      sessions: overlap(sessions, new Set(theirs.sessions)),
      colleagues: mine.company !== null && mine.company === theirs.company,
    })
}

export const matchScore = (alike: { interests: number; text: number; sessions: number; colleagues: boolean }): number =>
  rounded((0.5 * alike.interests + 0.3 * alike.text + 0.2 * alike.sessions) * (alike.colleagues ? 0.5 : 1))

/** Others whom somebody may want to meet. Only those who let others find them are found, and only by those who do so too. */
export async function recommendParticipants(ctx: AtEvent, participantId: string, limit: number) {
  const me = await getParticipant(ctx, participantId)
  if (!me.visible_to_participants) {
    throw preconditionFailed("Turn on 'let other participants find me' first", {
      fix: { say: `the person turns it on after signing in at ${eventPaths(ctx).signIn}` },
    })
  }
  const { config, facts } = await configurationOf(ctx)
  const held = quantitiesOf(await holdingsOf(ctx, [me.id])).keys()
  const mine = factsOf(config, facts.locale, me, { held, heard: (await heardBy(ctx, [me.id])).get(me.id) })
  const interested = await countsOf(ctx, [COUNTED.interested, ...mine.interests.map(COUNTED.interest)])
  const roughly = (interest: string) => rarity(interested(COUNTED.interested), interested(COUNTED.interest(interest)))
  const candidates = await candidatesAmong(ctx, await likest(ctx, mine, roughly), me)
  const weighing = await weighingOf(ctx, [mine, ...candidates])
  const match = matchOf(mine, weighing)
  const best = ranked(
    candidates.map((candidate) => ({ candidate, id: candidate.id, name: nameOf(candidate), score: match(candidate) })),
    limit,
  )
  const pictureOf = await pictureLinks(
    ctx,
    best.map(({ candidate }) => photoShown(candidate)),
  )
  const shared = sharedWith(config, me, weighing)
  return best.map(({ candidate, id, name, score }) => ({
    participantId: id,
    name,
    ...shown('jobTitle', candidate, candidate.job_title),
    ...shown('company', candidate, candidate.companyName),
    ...pictureOf(photoShown(candidate)),
    ...(candidate.ai_profile === null ? {} : { aiProfile: candidate.ai_profile }),
    sharedInterests: shared(candidate),
    score,
  }))
}

const photoShown = (candidate: Candidate) => (isRestricted(candidate.sharing, 'headshot') ? null : photoOf(candidate))

const shown = <K extends string>(field: K, { sharing }: Candidate, value: string | null) =>
  (value === null || isRestricted(sharing, field) ? {} : { [field]: value }) as Partial<Record<K, string>>

/** As many people have each interest and term now, whenever the profiles were written. */
async function weighingOf(ctx: AtEvent, people: readonly Compared[]): Promise<Weighing> {
  const keys = people.flatMap(({ interests, terms }) => [...interests.map(COUNTED.interest), ...Object.keys(terms).map(COUNTED.term)])
  const counts = await countsOf(ctx, [COUNTED.interested, COUNTED.texts, ...keys])
  return {
    weightOf: (interest) => rarity(counts(COUNTED.interested), counts(COUNTED.interest(interest))),
    corpus: { texts: counts(COUNTED.texts), having: (term) => counts(COUNTED.term(term)) },
  }
}

/** The names of the choices that both took, rarest first. */
function sharedWith(config: EventConfig, me: ParticipantRow, { weightOf }: Weighing) {
  const mine = choicesTaken(config, me).map((choice) => ({ interest: interestOf(choice), name: choice.name }))
  return ({ interests }: Candidate): string[] => {
    const theirs = new Set(interests)
    return mine
      .filter(({ interest }) => theirs.has(interest))
      .toSorted((a, b) => weightOf(b.interest) - weightOf(a.interest))
      .map(({ name }) => name)
  }
}
