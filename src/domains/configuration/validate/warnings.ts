import { dayIn } from '../../../kernel/time.ts'
import type { Issue } from '../issues.ts'
import { pointerOf } from '../pointers.ts'
import type { EventFacts } from '../read.ts'
import type { ConfigDocument, EventConfig } from '../schema/event-config.ts'
import { translationStates } from '../texts.ts'
import { contrastOf, ENOUGH, nearestReadable } from './contrast.ts'

const warning = (path: string, code: string, message: string, hint?: string): Issue => ({
  level: 'warning',
  code,
  path,
  message,
  ...(hint ? { hint } : {}),
})

/** What may be published and should be looked at. */
export const warningIssues = (document: ConfigDocument, config: EventConfig, facts: EventFacts): Issue[] => [
  ...contrastIssues(config),
  ...translationStates(document, config, facts).flatMap(({ locale, missing, stale, orphaned }) => {
    const path = `/translations${pointerOf([locale])}`
    return [
      ...(missing.length + stale.length > 0
        ? [warning(path, 'untranslated', `${locale}: ${missing.length} texts missing, ${stale.length} stale`, missing[0] ?? stale[0])]
        : []),
      ...(orphaned.length > 0
        ? [warning(path, 'translatesNothing', `${locale}: ${orphaned.length} translations of texts that are not there`, orphaned[0])]
        : []),
    ]
  }),
  ...pastIssues(config, facts),
]

export function contrastIssues({ theme: { colors } }: Pick<EventConfig, 'theme'>): Issue[] {
  const pairs = [
    ['text', colors.text, colors.background, 'background'],
    ['text', colors.text, colors.surface, 'surface'],
  ] as const
  const unread = pairs.flatMap(([name, color, on, onName]) => {
    const ratio = contrastOf(color, on)
    if (ratio >= ENOUGH) return []
    return [
      warning(
        `/theme/colors/${name}`,
        'contrast',
        `${color} on ${onName} ${on} has a contrast of ${ratio.toFixed(2)}, less than ${ENOUGH}`,
        nearestReadable(color, on),
      ),
    ]
  })
  const best = Math.max(contrastOf('#ffffff', colors.brand), contrastOf('#000000', colors.brand))
  const brand =
    best >= ENOUGH
      ? []
      : [
          warning(
            '/theme/colors/brand',
            'contrast',
            `neither white nor black can be read on ${colors.brand} (${best.toFixed(2)})`,
            nearestReadable(colors.brand, '#ffffff'),
          ),
        ]
  return [...unread, ...brand]
}

function pastIssues(config: EventConfig, { now, timezone }: EventFacts): Issue[] {
  const today = dayIn(timezone, now)
  return [
    ...(config.details.endsOn < today ? [warning('/details/endsOn', 'past', `the event ended on ${config.details.endsOn}`)] : []),
    ...config.discounts.flatMap(({ code, until, retired }) =>
      until !== null && !retired && until.slice(0, 10) < today
        ? [warning(`/discounts/${code}/until`, 'past', `ended on ${until.slice(0, 10)}`)]
        : [],
    ),
  ]
}
