import { z } from 'zod'
import { toOneLine, count, flag, list, money, object, oneOf, text } from '../../kernel/args.ts'
import { AUDIENCE_BUILD_STATES } from './states.ts'

const share = () => z.number().min(0).max(100)

export const TraitShape = object({ feature: text(), level: text(), share: share(), overall: share(), lift: z.number() })

export const ProfileBuildShape = object({
  id: text(),
  status: oneOf(AUDIENCE_BUILD_STATES.all),
  progress: object({ done: count(), total: count().nullable() }).optional(),
  error: text(1000).optional(),
  asOf: text(),
  algorithmVersion: text(),
  population: count(),
  k: count(),
  silhouette: z.number().nullable(),
  stale: flag(),
  unassigned: count(),
  dropped: list(object({ feature: text(), topShare: share() })),
  warnings: list(text(500)).optional(),
})

export const ProfileMemberShape = object({
  id: text(),
  name: text().nullable(),
  company: text().nullable(),
  distance: z.number().nullable(),
})

export const ProfileShape = object({
  code: text(),
  name: text(),
  rule: text().optional(),
  size: count(),
  share: share(),
  traits: list(TraitShape),
  behaviour: object({
    averageNet: money().nullable(),
    showRate: share().nullable(),
    nps: z.number().nullable(),
    leadsPerHead: z.number().nullable(),
    medianLeadDays: z.number().nullable(),
  }),
  products: list(object({ code: text(), share: share(), lift: z.number() })),
  members: list(ProfileMemberShape).optional(),
})

export const ProfileDifferenceShape = object({ feature: text(), level: text(), share: share(), other: share(), points: z.number() })

export const ProfileFeatureShape = object({ name: text(), levels: count(), topShare: share(), used: flag() })

export const AudienceResultSchemas = {
  build: toOneLine(ProfileBuildShape, 'id, status, asOf, population, k, silhouette, stale, unassigned, dropped[] ...'),
  profile: toOneLine(ProfileShape, 'code, name, size, share, traits[] (feature, level, lift), behaviour, products[] ...'),
  difference: toOneLine(ProfileDifferenceShape, 'feature, level, share, other, points'),
  feature: toOneLine(ProfileFeatureShape, 'name, levels, topShare, used'),
}
