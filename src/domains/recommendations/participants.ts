import { preconditionFailed } from '../../kernel/errors.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { listSoldOrderLines, sumQuantitiesByProduct } from '../registration/sale/holdings.ts'
import { formatParticipantName, type ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { hasDeclinedToShareField, findParticipantPhoto } from '../configuration/sharing.ts'
import { listEnrolledSessions } from '../sessions/enrolments.ts'
import { buildEventPagePaths } from '../tenancy/public-pages.ts'
import { type RecommendationCandidate, readCandidates, findSimilarParticipants } from './candidates.ts'
import { readRecommendationConfiguration } from './configuration.ts'
import { RECOMMENDATION_COUNT_KEYS, readRecommendationCounts } from './counts.ts'
import { listSelectedChoices, type ParticipantMatchingFacts, buildParticipantMatchingFacts, toInterestKey } from './facts.ts'
import { computeInterestSimilarity, computeInterestOverlap, computeInterestRarity } from './interests.ts'
import { createPictureLinks } from './pictures.ts'
import { rankRecommendations, roundScore } from './scores.ts'
import { type CorpusTermStatistics, computeTextSimilarity, toTfIdfVector } from './vectors.ts'

export interface SimilarityWeights {
  weightOf: (interest: string) => number
  corpus: CorpusTermStatistics
}

type ComparedFacts = Pick<ParticipantMatchingFacts, 'interests' | 'sessions' | 'terms' | 'company'>

const vector = ({ terms }: ComparedFacts, corpus: CorpusTermStatistics) => toTfIdfVector(new Map(Object.entries(terms)), corpus)

/**
 * Returns a function that computes the similarity of other participants to this participant. Colleagues count half, because they know each
 * other.
 */
export function createMatchScorer(mine: ComparedFacts, weighing: SimilarityWeights): (theirs: ComparedFacts) => number {
  const own = vector(mine, weighing.corpus)
  const [interests, sessions] = [new Set(mine.interests), new Set(mine.sessions)]
  return (theirs) =>
    computeMatchScore({
      interests: computeInterestSimilarity(interests, new Set(theirs.interests), weighing.weightOf),
      text: computeTextSimilarity(own, vector(theirs, weighing.corpus)),
      sessions: computeInterestOverlap(sessions, new Set(theirs.sessions)),
      colleagues: mine.company !== null && mine.company === theirs.company,
    })
}

export const computeMatchScore = (similarity: { interests: number; text: number; sessions: number; colleagues: boolean }): number =>
  roundScore((0.5 * similarity.interests + 0.3 * similarity.text + 0.2 * similarity.sessions) * (similarity.colleagues ? 0.5 : 1))

/** Recommends people to meet. Both sides must have allowed other participants to find them. */
export async function recommendParticipants(ctx: RegistrationContext, participantId: string, limit: number) {
  const me = await getParticipant(ctx, participantId)
  if (!me.visible_to_participants) {
    throw preconditionFailed("Turn on 'let other participants find me' first", {
      fix: { say: `the participant turns it on after signing in at ${buildEventPagePaths(ctx).signIn}` },
    })
  }
  const { config, facts } = await readRecommendationConfiguration(ctx)
  const held = sumQuantitiesByProduct(await listSoldOrderLines(ctx, [me.id])).keys()
  const mine = buildParticipantMatchingFacts(config, facts.locale, me, {
    held,
    heard: (await listEnrolledSessions(ctx, [me.id])).get(me.id),
  })
  const interested = await readRecommendationCounts(ctx, [
    RECOMMENDATION_COUNT_KEYS.interested,
    ...mine.interests.map(RECOMMENDATION_COUNT_KEYS.interest),
  ])
  const estimateWeight = (interest: string) =>
    computeInterestRarity(interested(RECOMMENDATION_COUNT_KEYS.interested), interested(RECOMMENDATION_COUNT_KEYS.interest(interest)))
  const candidates = await readCandidates(ctx, await findSimilarParticipants(ctx, mine, estimateWeight), me)
  const weighing = await readWeights(ctx, [mine, ...candidates])
  const match = createMatchScorer(mine, weighing)
  const best = rankRecommendations(
    candidates.map((candidate) => ({ candidate, id: candidate.id, name: formatParticipantName(candidate), score: match(candidate) })),
    limit,
  )
  const pictureOf = await createPictureLinks(
    ctx,
    best.map(({ candidate }) => photoShown(candidate)),
  )
  const shared = createSharedInterests(config, me, weighing)
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

const photoShown = (candidate: RecommendationCandidate) =>
  hasDeclinedToShareField(candidate.sharing, 'headshot') ? null : findParticipantPhoto(candidate)

const shown = <K extends string>(field: K, { sharing }: RecommendationCandidate, value: string | null) =>
  (value === null || hasDeclinedToShareField(sharing, field) ? {} : { [field]: value }) as Partial<Record<K, string>>

/** Reads the current weights of interests and text terms, even if the profiles of participants were written with earlier weights. */
async function readWeights(ctx: RegistrationContext, people: readonly ComparedFacts[]): Promise<SimilarityWeights> {
  const keys = people.flatMap(({ interests, terms }) => [
    ...interests.map(RECOMMENDATION_COUNT_KEYS.interest),
    ...Object.keys(terms).map(RECOMMENDATION_COUNT_KEYS.term),
  ])
  const counts = await readRecommendationCounts(ctx, [RECOMMENDATION_COUNT_KEYS.interested, RECOMMENDATION_COUNT_KEYS.texts, ...keys])
  return {
    weightOf: (interest) =>
      computeInterestRarity(counts(RECOMMENDATION_COUNT_KEYS.interested), counts(RECOMMENDATION_COUNT_KEYS.interest(interest))),
    corpus: { texts: counts(RECOMMENDATION_COUNT_KEYS.texts), having: (term) => counts(RECOMMENDATION_COUNT_KEYS.term(term)) },
  }
}

/** Returns a function that lists the names of the shared choices of two participants, rarest first. */
function createSharedInterests(config: EventConfig, me: ParticipantRow, { weightOf }: SimilarityWeights) {
  const mine = listSelectedChoices(config, me).map((choice) => ({ interest: toInterestKey(choice), name: choice.name }))
  return ({ interests }: RecommendationCandidate): string[] => {
    const theirs = new Set(interests)
    return mine
      .filter(({ interest }) => theirs.has(interest))
      .toSorted((a, b) => weightOf(b.interest) - weightOf(a.interest))
      .map(({ name }) => name)
  }
}
