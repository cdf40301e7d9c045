import { contractOf, EVERYBODY } from '../contract.ts'

contractOf('participants', EVERYBODY)
