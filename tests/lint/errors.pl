#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# S20: errors.def is the one catalogue. confine-errors(7) and the schema of results say the same, both
# ways; every type is raised somewhere, or is said to be reserved; and what is raised has a test.
use strict;
use warnings;
use Test::More;

use lib 'tests/lint';
use Lint;

# The test that triggers it and looks for its name.
my %test = (
    ConfigurationError     => '52-limit-values',
    CapabilityNotSupported => '44-landlock',
    CreationError          => '28-manager',
    CreateTimeout          => '28-manager',
    SandboxGone            => '60-teardown',
    ExecutionTimeout       => '55-deadline',
    ResourceLimitExceeded  => '50-memory',
    OrphanedSandboxWarning => '19-orphans',
    AuditError             => '30-journal',
);

my %error;
my $text = slurp('policy/errors.def') =~ s{/\*.*?\*/}{}gsr;
while ($text =~ /^ERROR\((\w+), "(\w+)", (\d+), "([^"]+)",\s+"([^"]+)"\)$/mg) {
    $error{$2} = { symbol => $1, status => $3, anchor => $4, fix => $5 };
}
is(scalar keys %error, scalar(() = $text =~ /^ERROR\(/mg), 'the catalogue is read');

my ($list) = slurp('man/confine-errors.7') =~ /^\.Sh TYPES\n(.*?)^\.El/ms;
my %page;
while ($list =~ /^\.It Er (\w+)\n(.*?)(?=^\.It|\z)/msg) {
    my ($name, $item) = ($1, $2);
    $page{$name} = $item =~ s/\s+/ /gr;
}
report('every type is in confine-errors(7)', grep { !$page{$_} } sort keys %error);
report('confine-errors(7) has no other', grep { !$error{$_} } sort keys %page);
report('each with its status', grep { ($page{$_} // '') !~ /^Exit status $error{$_}{status}\. / } sort keys %error);
report('its fix', grep { index($page{$_} // '', "Fix: $error{$_}{fix}. ") < 0 } sort keys %error);
report('and its section', grep { index($page{$_} // '', "See $error{$_}{anchor} in .Xr confine 1 .") < 0 } sort keys %error);
my $manual = slurp('man/confine.1');
report('which confine(1) has', grep { $manual !~ /^\.S[hs] \Q$error{$_}{anchor}\E$/m } sort keys %error);

my ($schema) = slurp('policy/schema/result.json') =~ /"error": \{"enum": \[([^\]]*)\]/;
is(join(' ', sort $schema =~ /"(\w+)"/g), join(' ', sort keys %error), 'the schema of results has the same');

my $sources = join '', map { slurp($_) } grep { !m{^policy/(errors|mk)} } glob 'supervisor/*.c policy/*.c';
my @raised = grep { $sources =~ /\bERROR_$error{$_}{symbol}\b/ } sort keys %error;
report('what is not raised is reserved, and nothing else',
    grep { my $name = $_; (grep { $_ eq $name } @raised) == ($error{$name}{fix} eq 'none: reserved') } sort keys %error);
report('each type that is raised has a test that triggers it',
    grep { !$test{$_} || !-e "tests/system/t/$test{$_}.t" || slurp("tests/system/t/$test{$_}.t") !~ /\b$_\b/ } @raised);
# A refusal without a type: only a program that cannot be executed, and an end that is nobody's fault.
report('every refusal has its type',
    map { /^(\S+)/ } grep { !m{^supervisor/(program|finish|outcome)\.c:} }
        `grep -nE '(outcome_fail|outcome_explain|diag_add)\\(.*ERROR_NONE' supervisor/*.c policy/*.c`);
done_testing();
