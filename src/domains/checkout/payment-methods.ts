import { findPaymentProcessor } from '../payments/processor.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { RegistrationProgress } from './progress.ts'
import { CHECKOUT_PAYMENT_METHODS, type CheckoutPaymentMethod } from './tables.ts'

/**
 * Lists the payment methods of the visible payment widgets; bank transfer if there are none. Cards are left out if no card processor is
 * connected.
 */
export function listPaymentMethods(
  ctx: Pick<RegistrationContext, 'cards' | 'event'>,
  { flow, walk, row }: RegistrationProgress,
): CheckoutPaymentMethod[] {
  const visible = new Set(walk.pages.flatMap(({ widgets }) => widgets.filter((one) => one.visible).map(({ id }) => id)))
  const named = new Set(
    flow.pages.flatMap(({ widgets }) =>
      widgets.flatMap((widget) => (widget.type === 'payment' && visible.has(widget.id) ? widget.methods : [])),
    ),
  )
  const takesCards = findPaymentProcessor(ctx, { isTestData: row.is_test_data }) !== null
  const possible = CHECKOUT_PAYMENT_METHODS.filter((method) => named.has(method) && (method !== 'card' || takesCards))
  return possible.length > 0 ? possible : ['bank']
}

/** Returns the payment method that the participant chose, or the only one that is offered. */
export const findChosenPaymentMethod = (
  progress: RegistrationProgress,
  methods: readonly CheckoutPaymentMethod[],
): CheckoutPaymentMethod | null =>
  methods.find((method) => method === progress.stored.method) ?? (methods.length === 1 ? methods[0]! : null)
