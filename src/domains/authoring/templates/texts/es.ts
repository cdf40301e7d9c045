import type { TemplateTexts } from '../texts.ts'

export const spanishTemplateTexts: TemplateTexts = {
  registration: 'Inscripción',
  contact: 'Sus datos',
  choices: 'Sus opciones',
  thanks: 'Muchas gracias',
  registered: 'Su inscripción se ha completado. En breve recibirá una confirmación por correo electrónico.',
  terms: 'Condiciones de participación',
  termsText:
    'Al inscribirme acepto que la organización conserve mis datos para la celebración de este evento y se ponga en contacto conmigo al respecto.',
  confirmation: 'Confirmación',
  confirmationSubject: 'Su inscripción en {{event.name}}',
  confirmationHello: 'Gracias, {{participant.firstName}}',
  confirmationText:
    'Su inscripción en {{event.name}} está confirmada. Su número de confirmación es <strong>{{participant.confirmationNumber}}</strong>.',
  confirmationButton: 'Ver o cambiar mi inscripción',
  cancellation: 'Cancelación',
  cancellationSubject: 'Su inscripción en {{event.name}} está cancelada',
  cancellationText:
    'Hola, {{participant.firstName}}: su inscripción en {{event.name}} está cancelada. Si se trata de un error, escriba a {{event.contactEmail}}.',
  admission: 'Entrada',
  attendance: 'Asistencia',
  dietaryHelp: 'Para que el servicio de comidas tenga algo para usted.',
  onlineAccess: 'Acceso en línea',
  visitorTicket: 'Entrada de visitante',
  booth: 'Stand',
  boothSmall: 'Pequeño, 3 × 3 m',
  boothMedium: 'Mediano, 6 × 3 m',
  boothLarge: 'Grande, 6 × 6 m',
  exhibitors: 'Solicitud de expositores',
  exhibits: '¿Qué va a exponer?',
  yourBooth: 'Su stand',
  applied: 'Gracias por su solicitud. Le escribiremos acerca de su stand.',
}
