import type { Translator } from '../../../kernel/language/translator.ts'

interface StepperProps {
  words: Translator
  /** The name of the product, for screen readers. */
  product: string
  id: string
  name: string
  max: number
  value: number | string
}

/** A quantity with buttons for one more and one less, which need scripts. */
export const QuantityStepper = ({ words: { say }, product, id, name, max, value }: StepperProps) => (
  <span class="stepper">
    <button type="button" class="needs-script" data-step="-1" aria-label={say('register.fewer', { name: product })}>
      −
    </button>
    <input id={id} name={name} type="number" min={0} max={max} inputmode="numeric" value={value} />
    <button type="button" class="needs-script" data-step="1" aria-label={say('register.oneMore', { name: product })}>
      +
    </button>
  </span>
)
