package relax

// MaxHorizon is the latest tick that a certificate may be about.
const MaxHorizon = 1 << 28
