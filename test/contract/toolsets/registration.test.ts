import { describeContract } from '../contract.ts'

describeContract('registration')
