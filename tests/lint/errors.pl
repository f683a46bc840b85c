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
    ConfigurationError         => '52-limit-values',
    CapabilityNotSupported     => '44-landlock',
    CreationError              => '28-manager',
    CreateTimeout              => '28-manager',
    SandboxGone                => '60-teardown',
    ExecutionTimeout           => '55-deadline',
    ResourceLimitExceeded      => '50-memory',
    OrphanedSandboxWarning     => '19-orphans',
    AuditError                 => '30-journal',
    UnverifiedIsolationWarning => '81-isolation',
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
    map { /^(\S+)/ } grep { !m{^supervisor/(program|explain|killed|outcome|sigsys)\.c:} }
        `grep -nE '(outcome_fail|outcome_explain|diag_add)\\(.*ERROR_NONE' supervisor/*.c policy/*.c`);

# Refusals that are not about what the host lacks, or not about what the doctor looks at: how each begins, and why it does not send
# its reader there. All the others do.
my %not_the_hosts = (
    '--system needs root'                                => 'an option of the caller',
    "'%s' (%s) can be enforced by the system manager"    => 'a choice of the caller',
    "'%s' (%s) needs root"                               => 'a choice of the caller',
    "'%s=%s' (%s) is not supported yet"                  => 'a setting of the caller',
    "'%s' (%s) is not supported yet"                     => 'a setting of the caller',
    "'%s=%.128s' , leave the argument out"               => 'an option of the caller',
    '%s= is not in force for \'%s\' (%s): name a disk'   => 'a path of the caller',
    "%s= is above the caller's own hard limit"           => 'limits of the caller',
    '--result=\'%.512s\' needs the library '             => 'the fix is a package',
    '--json needs the library '                          => 'the fix is a package',
    "'%s' cannot be read without the library "           => 'the fix is a package',
    'all uids of the range'                              => 'runs of the caller',
    'cannot lock a uid of the range'                     => 'a unit of the caller',
    'cannot label the cgroup'                            => 'labels of the caller',
    'RuntimeMaxSec=%s passed before'                     => 'a busy machine lacks nothing',
    "systemd reported the scope '%s' as started"         => 'a fault',
    'cannot start the program: %s'                       => 'somebody killed it',
    'cannot trace the worker'                            => 'somebody traces it',
    'cannot read '                                       => 'the kernel failed',
    'cannot look up the groups'                          => 'the user database failed',
    'cannot build the environment'                       => 'the kernel failed',
    "cannot lock '%s'"                                   => 'the kernel failed',
    'cannot make sockets'                                => 'the kernel failed',
    "the result could not be stored in '%s'"             => 'a file of the caller',
    'cannot start: '                                     => 'the kernel failed',
    'getrandom failed'                                   => 'the kernel failed',
    'poll: '                                             => 'the kernel failed',
    'out of memory'                                      => 'the kernel failed',
);
my (%begin, @silent, @misled);
for my $file (glob 'supervisor/*.c policy/*.c') {
    my $code = slurp($file) =~ s{/\*.*?\*/}{}gsr;
    while ($code =~ /\b(?:outcome_fail|diag_add|log_line)\((?:[^;"]|"(?:[^"\\]|\\.)*")*;/g) {
        my $call = $&;
        my $message = join '', $call =~ /"((?:[^"\\]|\\.)*)"/g;
        my $sent = $call =~ /_HINT\b/ || $message =~ /'confine doctor'/;
        if ($call =~ /\bERROR_(?:CAPABILITY|CREATION|CREATE_TIMEOUT|AUDIT)\b/) {
            my ($known) = grep { index($message, $_) == 0 } keys %not_the_hosts;
            $begin{$known} = 1 if $known;
            push @silent, "$file: $message" if !$sent && !$known && $message ne '%s';
            push @misled, "$file: $message" if $sent && $known;
        }
        push @misled, "$file: $message" if $sent && $call =~ /\bERROR_CONFIGURATION\b/;
    }
}
report('P18: a refusal for what the host lacks names `confine doctor`', @silent);
report('and none for a mistake of the caller', @misled);
report('each exception is one', grep { !$begin{$_} } sort keys %not_the_hosts);
done_testing();
