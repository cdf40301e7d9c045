import type { Catalogue } from '../translator.ts'

export const reportWidgets: Catalogue = {
  'reportFigure.comparedWithPeriod': 'vergeleken met {value} in de vorige periode',
  'reportFigure.comparedWithEvent': 'vergeleken met {value} bij {event}',
}
