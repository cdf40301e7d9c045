import { LabelledField, buildAriaDescribedBy, type FieldProps } from './forms.tsx'

const isColour = (text: string | undefined): text is string => /^#[0-9a-f]{6}$/i.test(text ?? '')

/** A sample of a colour. An SVG attribute sets the colour, because the Content-Security-Policy forbids inline styles. */
export const Swatch = ({ color }: { color: string | undefined }) =>
  isColour(color) ? (
    <svg class="swatch" width="16" height="16" aria-hidden="true">
      <rect width="16" height="16" rx="4" fill={color} />
    </svg>
  ) : null

/** A text field with a colour picker. The text field is submitted, so that the colour can be left empty; the picker only writes into it. */
export const ColourInput = ({ value, ...field }: FieldProps & { value?: string | undefined }) => (
  <LabelledField field={field}>
    <div class="colour">
      <input
        id={field.name}
        name={field.name}
        type="text"
        value={value}
        placeholder="#rrggbb"
        maxlength={7}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={field.error ? 'true' : undefined}
        aria-describedby={buildAriaDescribedBy(field)}
      />
      <input
        type="color"
        class="needs-script"
        value={isColour(value) ? value.toLowerCase() : undefined}
        data-colour-of={field.name}
        aria-label={`${field.label}, colour picker`}
      />
      <noscript>
        <Swatch color={value} />
      </noscript>
    </div>
  </LabelledField>
)
