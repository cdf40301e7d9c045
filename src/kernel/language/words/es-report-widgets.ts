import type { Catalogue } from '../translator.ts'

export const reportWidgets: Catalogue = {
  'reportFigure.comparedWithPeriod': 'frente a {value} en el periodo anterior',
  'reportFigure.comparedWithEvent': 'frente a {value} en {event}',
}
