import { z } from 'zod'
import { toOneLine, code, count, list, name, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { previewProfileBuild, startProfileBuild } from '../../domains/audiences/building/start-build.ts'
import { AudienceResultSchemas } from '../../domains/audiences/shapes.ts'
import { MAX_CLUSTERS } from '../../domains/audiences/clustering/choose-clusters.ts'

const weight = () => z.number().min(0, 'at least 0').max(5, 'at most 5').multipleOf(0.01, 'at most two decimals')

export default eventTool({
  name: 'rebuild_audience_profiles',
  title: 'Rebuild audience profiles',
  description:
    'Recompute the attendee groups (re-run the segmentation, clusters) with current registrations: k groups, pinned rules that make VIPs a group of their own, choice fields and weights. Old profiles serve until it is done. Not for reading them (use get_audience_profile). Returns the job; a dry run returns population and features.',
  effect: 'change',
  permission: 'reports.write',
  keyed: true,
  dryRun: true,
  input: {
    rules: toOneLine(
      list(object({ name: name(80), filter: z.looseObject({}) }), 10),
      'name, filter: { all|any: [{ field, op, value }] }',
    ).optional(),
    useFields: list(code(), 5).optional(),
    weights: toOneLine(z.record(z.string().max(80), weight()), 'feature: 0..5').optional(),
    k: count(2, MAX_CLUSTERS).optional(),
    minSize: count(10, 1000).optional(),
  },
  output: {
    jobId: text(),
    buildId: text(),
    status: oneOf(['queued']),
    population: count().optional(),
    features: list(AudienceResultSchemas.feature).optional(),
    patterns: count().optional(),
    warnings: list(text(500)).optional(),
  },
  previewOnly: ['population', 'features', 'patterns', 'warnings'],
  prefetch: previewProfileBuild,
  run: async (ctx, request, preview) => ({ ...(await startProfileBuild(ctx, request)), ...preview }),
})
