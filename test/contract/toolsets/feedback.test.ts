import { contractOf, EVERYBODY } from '../contract.ts'

contractOf('feedback', EVERYBODY)
