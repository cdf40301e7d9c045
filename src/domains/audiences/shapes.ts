import { z } from 'zod'
import { describeSchemaInOneLine, boundedInteger, flag, list, money, object, oneOf, text } from '../../kernel/args.ts'
import { AUDIENCE_BUILD_STATES } from './states.ts'

const share = () => z.number().min(0).max(100)

export const TraitShape = object({ feature: text(), level: text(), share: share(), overall: share(), lift: z.number() })

export const ProfileBuildShape = object({
  id: text(),
  status: oneOf(AUDIENCE_BUILD_STATES.all),
  progress: object({ done: boundedInteger(), total: boundedInteger().nullable() }).optional(),
  error: text(1000).optional(),
  asOf: text(),
  algorithmVersion: text(),
  population: boundedInteger(),
  k: boundedInteger(),
  silhouette: z.number().nullable(),
  stale: flag(),
  unassigned: boundedInteger(),
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
  size: boundedInteger(),
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

export const FeatureShape = object({ name: text(), levels: boundedInteger(), topShare: share(), used: flag() })

export const OneLineAudienceShapes = {
  build: describeSchemaInOneLine(ProfileBuildShape, 'id, status, asOf, population, k, silhouette, stale, unassigned, dropped[] ...'),
  profile: describeSchemaInOneLine(ProfileShape, 'code, name, size, share, traits[] (feature, level, lift), behaviour, products[] ...'),
  difference: describeSchemaInOneLine(ProfileDifferenceShape, 'feature, level, share, other, points'),
  feature: describeSchemaInOneLine(FeatureShape, 'name, levels, topShare, used'),
}
