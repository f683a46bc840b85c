# SPDX-License-Identifier: MIT
# What the lints in Perl share. They run in the top directory of the tree.
package Lint;
use strict;
use warnings;
use Exporter 'import';
use Test::More;

our @EXPORT = qw(slurp report confine_that_lists home_with_policy @LISTED);

# The runs that it lists.
our @LISTED = qw(0a1b2c3d4e5f b0b1b2b3b4b5);

# The text of a file.
sub slurp {
    my ($file) = @_;
    open my $handle, '<', $file or die "$file: $!";
    local $/;
    return scalar <$handle>;
}

# One check, which passes without findings.
sub report {
    my ($name, @findings) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return ok(!@findings, $name) || diag(join "\n", @findings);
}

# For completions, which ask the confine in PATH: puts one there, in $directory, that answers `confine list` and nothing else. Its lines
# are as tests/system/t/88-manage.t has them of the real one.
sub confine_that_lists {
    my ($directory) = @_;
    mkdir "$directory/bin" or die "$directory/bin: $!";
    open my $script, '>', "$directory/bin/confine" or die "$directory/bin/confine: $!";
    print $script "#!/bin/sh\n[ \"\$*\" = list ] && printf '%s\\n' 'ID           STATE   AGE  LABELS'",
        map({ " '$_ running 1.0s name=x 0123456789ab'" } @LISTED), "\n";
    close $script or die $!;
    chmod 0755, "$directory/bin/confine" or die $!;
    $ENV{PATH} = "$directory/bin:$ENV{PATH}";
    return;
}

# Makes $directory a home with a policy of its owner's, `of-mine`.
sub home_with_policy {
    my ($directory) = @_;
    mkdir "$directory/$_" or die "$_: $!" for qw(.config .config/confine .config/confine/policies);
    open my $policy, '>', "$directory/.config/confine/policies/of-mine.conf" or die $!;
    close $policy or die $!;
    $ENV{HOME} = $directory;
    return;
}

1;
