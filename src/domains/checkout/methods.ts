import type { AtEvent } from '../registration/scene.ts'
import type { Progress } from './progress.ts'
import { METHODS, type Method } from './tables.ts'

/** How this person may pay: as their pages say, without cards where there is no processor. A flow that says nothing is paid by transfer. */
export function methodsFor({ cards }: Pick<AtEvent, 'cards'>, { flow, walk, row }: Progress): Method[] {
  const visible = new Set(walk.pages.flatMap(({ widgets }) => widgets.filter((one) => one.visible).map(({ id }) => id)))
  const named = new Set(
    flow.pages.flatMap(({ widgets }) =>
      widgets.flatMap((widget) => (widget.type === 'payment' && visible.has(widget.id) ? widget.methods : [])),
    ),
  )
  const takesCards = cards.for({ isTestData: row.is_test_data }) !== null
  const possible = METHODS.filter((method) => named.has(method) && (method !== 'card' || takesCards))
  return possible.length > 0 ? possible : ['bank']
}

/** The one they chose, or the only one there is. */
export const methodOf = (progress: Progress, methods: readonly Method[]): Method | null =>
  methods.find((method) => method === progress.kept.method) ?? (methods.length === 1 ? methods[0]! : null)
