import { plainText } from './visitor.ts'

export interface PrintedRow {
  label: string
  /** The amount without currency and separators, such as `-1240.72`. */
  amount: string
  /** The CSS class of the row: `total`, `quiet` (muted) or `less` (deducted); empty for an item. */
  kind: string
}

/** The rows of every list of amounts on an English page, in their order, without items that have no amount. */
export const moneyRowsIn = (html: string): PrintedRow[] =>
  [...html.matchAll(/<dl class="lines">([\s\S]*?)<\/dl>/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/<div(?: class="(\w*)")?><dt>([\s\S]*?)<\/dt><dd>([\s\S]*?)<\/dd><\/div>/g)].flatMap(
      ([, kind = '', label = '', figure = '']) => {
        const amount = /[-−]?[^\d\s-−]?[\d,]+(?:\.\d+)?/
          .exec(plainText(figure))?.[0]
          .replace('−', '-')
          .replaceAll(/[^\d.-]/g, '')
        return amount === undefined ? [] : [{ label: plainText(label.replace(/<small>[\s\S]*/, '')).trim(), amount, kind }]
      },
    ),
  )
