// Package fluid solves the fluid program of package relax/fluid, turns its duals into a certificate,
// and says what binds.
package fluid
