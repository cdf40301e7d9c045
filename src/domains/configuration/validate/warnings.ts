import { toDayInZone } from '../../../kernel/time.ts'
import type { ConfigIssue } from '../issues.ts'
import { toPointer } from '../pointers.ts'
import type { EventConfigFacts } from '../read.ts'
import type { ConfigDocument, EventConfig } from '../schema/event-config.ts'
import { getTranslationStates } from '../texts.ts'
import { computeContrastRatio, MIN_CONTRAST, findReadableColor } from '../../../kernel/contrast.ts'

const warning = (path: string, code: string, message: string, hint?: string): ConfigIssue => ({
  level: 'warning',
  code,
  path,
  message,
  ...(hint ? { hint } : {}),
})

/** Finds issues that do not prevent publishing. */
export const findWarningIssues = (document: ConfigDocument, config: EventConfig, facts: EventConfigFacts): ConfigIssue[] => [
  ...findContrastIssues(config),
  ...getTranslationStates(document, config, facts).flatMap(({ locale, missing, stale, orphaned }) => {
    const path = `/translations${toPointer([locale])}`
    return [
      ...(missing.length + stale.length > 0
        ? [warning(path, 'untranslated', `${locale}: ${missing.length} texts missing, ${stale.length} stale`, missing[0] ?? stale[0])]
        : []),
      ...(orphaned.length > 0
        ? [warning(path, 'translatesNothing', `${locale}: ${orphaned.length} translations of texts that no longer exist`, orphaned[0])]
        : []),
    ]
  }),
  ...pastIssues(config, facts),
]

export function findContrastIssues({ theme: { colors } }: Pick<EventConfig, 'theme'>): ConfigIssue[] {
  const pairs = [
    ['text', colors.text, colors.background, 'background'],
    ['text', colors.text, colors.surface, 'surface'],
  ] as const
  const unread = pairs.flatMap(([name, color, on, onName]) => {
    const ratio = computeContrastRatio(color, on)
    if (ratio >= MIN_CONTRAST) return []
    return [
      warning(
        `/theme/colors/${name}`,
        'contrast',
        `${color} on ${onName} ${on} has a contrast of ${ratio.toFixed(2)}, less than ${MIN_CONTRAST}`,
        findReadableColor(color, on),
      ),
    ]
  })
  const best = Math.max(computeContrastRatio('#ffffff', colors.brand), computeContrastRatio('#000000', colors.brand))
  const brand =
    best >= MIN_CONTRAST
      ? []
      : [
          warning(
            '/theme/colors/brand',
            'contrast',
            `neither white nor black text is readable on ${colors.brand} (${best.toFixed(2)})`,
            findReadableColor(colors.brand, '#ffffff'),
          ),
        ]
  return [...unread, ...brand]
}

function pastIssues(config: EventConfig, { now, timezone }: EventConfigFacts): ConfigIssue[] {
  const today = toDayInZone(timezone, now)
  return [
    ...(config.details.endsOn < today ? [warning('/details/endsOn', 'past', `the event ended on ${config.details.endsOn}`)] : []),
    ...config.discounts.flatMap(({ code, until, retired }) =>
      until !== null && !retired && until.slice(0, 10) < today
        ? [warning(`/discounts/${code}/until`, 'past', `ended on ${until.slice(0, 10)}`)]
        : [],
    ),
  ]
}
